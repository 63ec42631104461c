import type { User } from '@gatehouse/protocol/users'
import type { Transaction } from '../storage/database.ts'

/** Changes to which other modules react in the same transaction. */
export interface DomainEvents {
  /**
   * With the invite code of the form, if any. In a transaction of its own, before the names are compared with those of
   * other accounts (community/invite-first). A subscriber may throw.
   */
  RegistrationRequested: { invite: string | undefined }
  /**
   * A user registered, with the invite code of the form, if any. A subscriber may throw: then no account is created.
   */
  UserRegistered: { userId: string; invite: string | undefined; administrator: boolean }
  PasswordChanged: { userId: string }
  /** From now on no credential of the user is valid, nor of the bots and applications of the user. */
  UserDisabled: { userId: string }
  /** After `PasswordChanged`: a password reset was the first verification of the email address of the user. */
  VerifiedByReset: { userId: string }
  /** The user revoked the tokens of all applications. */
  TokensRevoked: { userId: string }
  /** A session was deleted. A session that expires publishes no event. */
  SessionEnded: { sessionId: string }
  /** Also published for each bot of a server that is deleted. */
  MemberRemoved: { serverId: string; userId: string }
  /** A member lost a role. The row of the member is locked. */
  MemberRoleRemoved: { serverId: string; userId: string; roleId: string }
  RoleDeleted: { serverId: string; roleId: string }
  ServerDeleted: { serverId: string }
  /**
   * A member accepted the server, and decided which applications stay bound to it: all of them without
   * `keptApplications` (sign-in/binding-decision). The row of the server is locked.
   */
  OwnershipAccepted: {
    server: { id: string; name: string }
    formerOwnerId: string
    actor: { userId: string; reason?: string | undefined }
    keptApplications: readonly string[] | undefined
  }
  /** Other users than before may sign in to the application (sign-in/members-only). */
  AdmissionChanged: { applicationId: string }
  /** The client secret was reset or the application was deleted. */
  SecretReset: { applicationId: string }
  /** `user` has the new name and avatar. */
  ProfileChanged: { user: User }
}

/**
 * The modules that must react to each event. Without one of them a password change, for example, would revoke no
 * tokens, so the service does not start.
 */
const requiredSubscribers = {
  RegistrationRequested: ['invites'],
  UserRegistered: ['invites', 'administration'],
  PasswordChanged: ['second-factor', 'oauth'],
  UserDisabled: ['bots', 'oauth'],
  VerifiedByReset: ['oauth'],
  TokensRevoked: ['oauth'],
  SessionEnded: ['oauth'],
  MemberRemoved: ['integrations', 'interactions', 'oauth', 'ownership-transfers'],
  MemberRoleRemoved: ['oauth'],
  RoleDeleted: ['oauth'],
  ServerDeleted: ['oauth'],
  OwnershipAccepted: ['bound-applications'],
  AdmissionChanged: ['oauth'],
  SecretReset: ['oauth'],
  ProfileChanged: ['members', 'direct-messages'],
} as const satisfies Record<keyof DomainEvents, readonly string[]>

type Handler<E> = (tx: Transaction, event: E) => Promise<void>

export interface DomainSubscriber {
  name: (typeof requiredSubscribers)[keyof DomainEvents][number]
  handlers: { readonly [T in keyof DomainEvents]?: Handler<DomainEvents[T]> }
}

export interface DomainEventPublisher {
  /**
   * Runs every subscriber in `tx`, in the order in which they subscribed. Rejects with the first error, which rolls the
   * transaction back.
   */
  publish<T extends keyof DomainEvents>(tx: Transaction, type: T, event: DomainEvents[T]): Promise<void>
}

export interface DomainEventBus extends DomainEventPublisher {
  subscribe(subscriber: DomainSubscriber): void
  /** Throws if a required subscriber of any event is missing. The service calls it at start. */
  checkSubscribers(): void
}

export function createDomainEventBus(): DomainEventBus {
  const subscribers: DomainSubscriber[] = []
  return {
    subscribe: subscriber => void subscribers.push(subscriber),
    checkSubscribers() {
      for (const [type, names] of Object.entries(requiredSubscribers)) {
        for (const name of names) {
          const found = subscribers.some(
            subscriber => subscriber.name === name && Object.hasOwn(subscriber.handlers, type),
          )
          if (!found) throw new Error(`The event ${type} requires the subscriber "${name}".`)
        }
      }
    },
    async publish(tx, type, event) {
      for (const { handlers } of subscribers) await handlers[type]?.(tx, event)
    },
  }
}
