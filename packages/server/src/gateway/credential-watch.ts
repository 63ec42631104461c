import { CloseCode } from '@gatehouse/protocol/gateway'
import type { Bus, Subscription } from '../bus/bus.ts'
import { parseControlMessage, subjects } from '../platform/events.ts'
import { type GatewaySession, SessionGroup } from './gateway-session.ts'

interface Deps {
  bus: Pick<Bus, 'subscribe'>
  endSession: (session: GatewaySession, code: number, reason: string) => void
}

/** Ends the gateway sessions of one sign-in session or bot token when it is revoked. */
export class CredentialWatch extends SessionGroup {
  readonly #subscription: Subscription

  private constructor(subscription: Subscription) {
    super()
    this.#subscription = subscription
  }

  static async open(credentialId: string, { bus, endSession }: Deps): Promise<CredentialWatch> {
    const watch = new CredentialWatch(
      await bus.subscribe(subjects.control(credentialId), message => {
        const control = parseControlMessage(message)
        if (control === undefined) return
        for (const session of watch.sessions) {
          endSession(session, CloseCode.badToken, control.reason)
        }
      }),
    )
    return watch
  }

  close(): void {
    this.#subscription.close()
  }
}
