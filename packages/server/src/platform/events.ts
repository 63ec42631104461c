import type { Bus } from '../bus/bus.ts'

/** What a gateway session may be told: `t` is the event's name, `d` its payload (the contract, "Gateway"). */
export interface Event {
  t: string
  d: unknown
  /** What `d` has beside, for the sessions of one person alone. */
  aside?: { userId: string; more: Readonly<Record<string, unknown>> }
}

/** Why connections are closed: a credential ended. */
export interface Ended {
  /** 4004: do not come back with this credential. */
  reason: 'signed_out' | 'token_reset' | 'deleted'
}

/** On `subjects.sessionClosed`. */
export interface SessionClosed {
  sessionId: string
}

/** The subjects of the bus that features and gateway share. */
export const subjects = {
  /** Events that whoever may view the channel may see. */
  channel: (id: string) => `channel.${id}`,
  /** Events of a server; the gateway looks at what concerns a hidden channel before it passes it on. */
  server: (id: string) => `server.${id}`,
  /** Events for all sessions of one person, or of one bot by its user id. */
  user: (id: string) => `user.${id}`,
  /** Requests to deliver one event to one of the sessions of an application's bot (D26). */
  app: (id: string) => `app.${id}`,
  /** A credential ended: by session id, or by application id for its bot token. */
  control: (id: string) => `control.${id}`,
  /** A bot's gateway session lost its connection, by application id: what it was given may need another (D26). */
  sessionClosed: (id: string) => `session-closed.${id}`,
} as const

/** Where features say what happened. Call after the commit (`tx.afterCommit`), never inside the transaction. */
export interface Events {
  toChannel(channelId: string, event: Event): void
  toServer(serverId: string, event: Event): void
  toUser(userId: string, event: Event): void
  /** `id`: of the session that ended, or of the application whose bot token no longer holds. */
  ended(id: string, ended: Ended): void
}

export function createEvents(bus: Pick<Bus, 'publish'>): Events {
  return {
    toChannel: (id, event) => bus.publish(subjects.channel(id), event),
    toServer: (id, event) => bus.publish(subjects.server(id), event),
    toUser: (id, event) => bus.publish(subjects.user(id), event),
    ended: (id, ended) => bus.publish(subjects.control(id), ended),
  }
}
