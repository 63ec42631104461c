import type { DispatchReply } from '../../events/gateway-events.ts'
import type { Deps } from '../gateway-deps.ts'
import type { GatewaySession } from '../sessions/gateway-session.ts'
import { createWithoutContent } from './bot-events.ts'
import { BotSubscriptions, type ForwardedDispatch } from './bot-subscriptions.ts'
import { CredentialWatch } from './credential-watch.ts'
import { RefCounted } from './ref-counted.ts'
import { ServerSubscription } from './server-subscription.ts'
import { UserSubscriptions } from './user-subscriptions.ts'

interface SubscriptionDeps extends Deps {
  endSession: (session: GatewaySession, code?: number, reason?: string) => void
}

export type SessionSubscriptions = ReturnType<typeof createSessionSubscriptions>

/** Opens the subscriptions of a gateway session and closes them with it. Sessions of one node share them. */
export function createSessionSubscriptions(deps: SubscriptionDeps) {
  const credentialWatches = new RefCounted((credentialId: string) => CredentialWatch.open(credentialId, deps))
  const servers = new RefCounted((serverId: string) => ServerSubscription.open(serverId, deps))
  const users = new RefCounted((userId: string) => UserSubscriptions.open(userId, { ...deps, servers }))
  const withoutContent = createWithoutContent(deps.clock)
  const bots = new RefCounted((applicationId: string, userId: string) =>
    BotSubscriptions.openBot(applicationId, userId, { ...deps, servers, withoutContent }),
  )

  function release({ identity: { kind, userId, credentialId } }: GatewaySession): void {
    if (kind === 'user') users.release(userId)
    else bots.release(credentialId)
  }

  return {
    /** After this resolves, revoking the credential ends the session. */
    async watchCredential(session: GatewaySession): Promise<void> {
      const { credentialId } = session.identity
      const watch = await credentialWatches.acquire(credentialId)
      if (session.ended) return credentialWatches.release(credentialId)
      session.credentialWatch = watch
      watch.add(session)
    },

    /** After this resolves, the session receives the events of its user or bot. */
    async subscribe(session: GatewaySession): Promise<void> {
      const { kind, userId, credentialId } = session.identity
      const subscriptions = await (kind === 'user'
        ? users.acquire(userId)
        : bots.acquire(credentialId, userId))
      if (session.ended) return release(session)
      session.subscriptions = subscriptions
      subscriptions.add(session)
      await subscriptions.subscribeFor(session)
    },

    /** Dispatches an interaction that another node received, whose sessions are of other shards. */
    async dispatch({ event, sessions: kind }: ForwardedDispatch): Promise<DispatchReply> {
      const bot = await bots.find(event.d.applicationId)
      return bot?.dispatchHere(event, kind) ?? { delivered: false }
    },

    /** Also ends the watch of the credential. */
    unsubscribe(session: GatewaySession): void {
      const { credentialWatch, subscriptions, identity } = session
      session.credentialWatch = undefined
      session.subscriptions = undefined
      credentialWatch?.remove(session)
      if (credentialWatch !== undefined) credentialWatches.release(identity.credentialId)
      subscriptions?.remove(session)
      if (subscriptions !== undefined) release(session)
    },
  }
}
