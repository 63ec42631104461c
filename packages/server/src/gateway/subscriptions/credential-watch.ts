import { CloseCode } from '@gatehouse/protocol/gateway'
import type { Bus, Subscription } from '../../bus/bus.ts'
import { type ControlMessage, parseControlMessage, subjects } from '../../events/gateway-events.ts'
import { findDisallowedIntent } from '../connection/bot-options.ts'
import { type GatewaySession, SessionGroup } from '../sessions/gateway-session.ts'

interface Deps {
  bus: Pick<Bus, 'subscribe'>
  endSession: (session: GatewaySession, code: number, reason: string) => void
}

/**
 * Ends the gateway sessions of one sign-in session or bot token when it is revoked, and those that use a privileged
 * intent when it is switched off.
 */
export class CredentialWatch extends SessionGroup {
  #subscription: Subscription | undefined

  static async open(credentialId: string, { bus, endSession }: Deps): Promise<CredentialWatch> {
    const watch = new CredentialWatch()
    watch.#subscription = await bus.subscribe(subjects.control(credentialId), message => {
      const control = parseControlMessage(message)
      if (control !== undefined) watch.#end(control, endSession)
    })
    return watch
  }

  #end(control: ControlMessage, endSession: Deps['endSession']): void {
    for (const session of this.sessions) {
      const error =
        'reason' in control
          ? ([CloseCode.badToken, control.reason] as const)
          : findDisallowedIntent(session.identity.options, control)
      if (error !== undefined) endSession(session, ...error)
    }
  }

  close(): void {
    this.#subscription?.close()
  }
}
