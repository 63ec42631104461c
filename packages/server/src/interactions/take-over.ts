import { isJsonObject } from '@gatehouse/protocol/json-object'
import { isOverdue } from './deadline.ts'
import type { DispatchedEvent } from './dispatch.ts'
import type { Deps } from './interaction-deps.ts'

/**
 * The message with which a node asks another one to take over an interaction: to send it again and to record its
 * timeout. Without `onLoss`, the other node does so at once, because `from` stops. With `onLoss`, it keeps the message
 * and does so only if `from` is lost, because the gateway session that received the event is on `from` too.
 * `ForwardedDispatch` of `gateway/subscriptions/bot-subscriptions.ts` is another message: it only asks a node to send
 * the interaction to one of its sessions. Nodes of other versions read both, so `t` and the other members stay the
 * same.
 */
interface TakeOverMessage extends DispatchedEvent {
  t: 'dispatch'
  from: string
  onLoss: boolean
}

/**
 * The messages between nodes about interactions of a node that stops or is lost (bots/interaction-node-loss).
 * `onTakeOver`: this node shall take over the interaction.
 */
export function createTakeOvers(
  { nodes, clock }: Pick<Deps, 'nodes' | 'clock'>,
  onTakeOver: (taken: DispatchedEvent) => void,
) {
  /** The messages with `onLoss` that other nodes sent to this one, by interaction id, the oldest first. */
  const copies = new Map<string, TakeOverMessage>()

  nodes.onMessage(message => {
    if (!isTakeOverMessage(message)) return
    if (!message.onLoss) return onTakeOver(message)
    for (const [id, copy] of copies) {
      if (!isOverdue(copy, clock())) break
      copies.delete(id)
    }
    copies.set(message.event.id, message)
  })

  nodes.onEnd((node, end) => {
    // A node that stops asks another one itself.
    for (const [id, message] of copies) {
      if (message.from !== node) continue
      copies.delete(id)
      if (end === 'lost') onTakeOver(message)
    }
  })

  function sendToNeighbour({ event, deadlineAt }: DispatchedEvent, onLoss: boolean): void {
    const neighbour = nodes.neighbour()
    if (neighbour === undefined) return
    const message: TakeOverMessage = { t: 'dispatch', from: nodes.self, onLoss, event, deadlineAt }
    nodes.send(neighbour, message)
  }

  return {
    /** Asks another node to send the interaction now. */
    request: (dispatched: DispatchedEvent) => sendToNeighbour(dispatched, false),
    /** The other node sends the interaction only if this node is lost. */
    sendCopy: (dispatched: DispatchedEvent) => sendToNeighbour(dispatched, true),
  }
}

function isTakeOverMessage(message: unknown): message is TakeOverMessage {
  return isJsonObject(message) && message.t === 'dispatch'
}
