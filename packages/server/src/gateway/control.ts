import { CloseCode } from '@gatehouse/protocol/gateway'
import type { Bus, Subscription } from '../bus/bus.ts'
import { subjects } from '../platform/events.ts'
import { textAt } from './server-event.ts'
import type { Session } from './session.ts'

interface ControlDeps {
  bus: Pick<Bus, 'subscribe' | 'publish'>
  end: (session: Session, code: number, reason: string) => void
}

/** What the gateways of the nodes say to each other, on the credential's subject. */
interface Superseded {
  superseded: string
}

/** A credential, for the sessions of this node that it holds: when it ends, they do. */
export class Control {
  // Replaced, never changed: what is said to the sessions may end them.
  #sessions: readonly Session[] = []
  readonly #subscription: Subscription

  private constructor(subscription: Subscription) {
    this.#subscription = subscription
  }

  static async open(credential: string, { bus, end }: ControlDeps): Promise<Control> {
    const control = new Control(
      await bus.subscribe(subjects.control(credential), message => {
        const superseded = textAt(message, 'superseded')
        const reason = textAt(message, 'reason')
        for (const session of control.#sessions) {
          if (session.id === superseded) end(session, CloseCode.unknown, 'resumed elsewhere')
          else if (reason !== undefined) end(session, CloseCode.badToken, reason)
        }
      }),
    )
    return control
  }

  add(session: Session): void {
    this.#sessions = [...this.#sessions, session]
  }

  remove(session: Session): void {
    this.#sessions = this.#sessions.filter(other => other !== session)
  }

  close(): void {
    this.#subscription.close()
  }
}

/**
 * A client that comes to resume a session is not at its old socket any more. Where that is on another node, the session
 * ends there: above all, no interaction is given to it.
 */
export function supersede(bus: Pick<Bus, 'publish'>, credential: string, sessionId: string): void {
  const message: Superseded = { superseded: sessionId }
  bus.publish(subjects.control(credential), message)
}
