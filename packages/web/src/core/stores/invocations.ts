import type { ContextCommandType } from '@gatehouse/protocol/commands'
import type {
  InteractionReason,
  InteractionStatus,
  InteractionUpdate,
  RunInteractionBody,
} from '@gatehouse/protocol/interactions'
import { firstResponseMs } from '@gatehouse/protocol/limits'
import type { EnteredField, Modal } from '@gatehouse/protocol/modals'
import { type Api, createNonce, isLost, isMissing } from '../api/client.ts'
import type { ConnectionTimers } from '../gateway/connection.ts'
import { createStore } from './store.ts'

/** A command, component or modal that the user used, until the response is shown or the user dismisses the notice. */
export interface Invocation {
  nonce: string
  /** The id of the interaction. Undefined until the service has accepted the request. */
  id?: string
  type: 'command' | 'component' | 'modal_submit'
  channelId: string
  /** For a component: its message and its `customId`. */
  messageId?: string
  customId?: string
  /** For a modal: the interaction whose response opened it. */
  openedBy?: string
  /** For a command: its name, and the menu that it was chosen in. */
  name?: string
  commandType?: ContextCommandType
  botName: string
  botAvatar?: string | null
  /** The newest message at the time of the invocation: the row is shown after it. */
  afterId?: string
  state: 'sending' | 'pending' | 'answered' | 'deferred' | 'timed_out' | 'failed'
  /**
   * With `failed` and `timed_out`: why. A `reasonCode` comes from the service; without it, `reason` may be a text of
   * the client.
   */
  reason?: string
  reasonCode?: InteractionReason
}

/** A modal that a bot opened for the user. */
export interface OpenModal extends Pick<Invocation, 'channelId' | 'botName' | 'botAvatar'> {
  /** The interaction whose response opened it. */
  interactionId: string
  modal: Modal
}

export type InvocationDetails = Pick<Invocation, 'botName'> &
  Partial<Pick<Invocation, 'name' | 'commandType' | 'afterId' | 'botAvatar'>>

type WithNonce<Body extends RunInteractionBody> = Body & { nonce: string }
type CommandBody = WithNonce<Extract<RunInteractionBody, { type: 'command' }>>
type ModalBody = Extract<RunInteractionBody, { type: 'modal_submit' }>
type ComponentBody = Extract<RunInteractionBody, { type: 'component' }>

interface Options {
  api: Api
  timers: ConnectionTimers
  now(): number
}

/**
 * After the response deadline of the bot and a grace period for the network, the client polls for the status up to
 * `maxPolls` times. The row of a completed invocation is removed after `removeAfterMs`.
 */
export const timing = {
  deadlineMs: firstResponseMs,
  graceMs: 500,
  pollIntervalMs: 1000,
  maxPolls: 5,
  removeAfterMs: 2000,
} as const

export type Invocations = ReturnType<typeof createInvocations>

export function createInvocations({ api, timers, now }: Options) {
  const store = createStore<readonly Invocation[]>([])
  const modals = createStore<readonly OpenModal[]>([])
  /** Interactions whose response is shown as a message. */
  const respondedIds = new Set<string>()

  const find = (nonce: string) => store.get().find(other => other.nonce === nonce)
  const remove = (nonce: string) => store.set(list => list.filter(other => other.nonce !== nonce))
  const change = (nonce: string, changes: Partial<Invocation>) =>
    store.set(list => list.map(other => (other.nonce === nonce ? { ...other, ...changes } : other)))

  const openModal = (opened: OpenModal) => modals.set(list => [...list, opened])
  const closeModal = (interactionId: string) =>
    modals.set(list => list.filter(other => other.interactionId !== interactionId))

  function setStatus(nonce: string, { state, reason, reasonCode, modal }: Omit<InteractionStatus, 'id'>) {
    const invocation = find(nonce)
    if (!invocation) return
    if (modal && invocation.id !== undefined) {
      const { id: interactionId, channelId, botName, botAvatar = null } = invocation
      remove(nonce)
      return openModal({ interactionId, channelId, botName, botAvatar, modal })
    }
    const reasons = {
      ...(reason === undefined ? {} : { reason }),
      ...(reasonCode === undefined ? {} : { reasonCode }),
    }
    const isAnswered = state === 'answered' || state === 'deferred'
    // Only the service sets a reasonCode. Without it the client may have set the failure, after a network error or its
    // own timeout: the interaction may exist, and the bot may have responded.
    const isFinal = invocation.reasonCode !== undefined
    const staysFailed = hasFailed(invocation) && (isFinal || !isAnswered)
    if (staysFailed) {
      // The HTTP response has no reason. INTERACTION_UPDATE has one, and can arrive before the response or after it.
      if (state === invocation.state && invocation.reason === undefined) change(nonce, reasons)
      return
    }
    if (isAnswered) {
      if (invocation.openedBy !== undefined) closeModal(invocation.openedBy)
      if (invocation.type !== 'command' || (invocation.id && respondedIds.has(invocation.id))) {
        return remove(nonce)
      }
      // The message follows, unless it was deleted in the meantime.
      change(nonce, { state })
      timers.after(timing.removeAfterMs, () => remove(nonce))
      return
    }
    if (state === 'pending' && invocation.state !== 'sending') return
    change(nonce, { state, ...reasons })
  }

  /** Polls for the status if the gateway does not report it. Times are those of the client's clock. */
  function watch(nonce: string, id: string, sentAt: number) {
    const poll = async (remaining: number) => {
      if (find(nonce)?.state !== 'pending') return
      const status = await api.call('getInteraction', { id }).catch((error: unknown) => error)
      if (isMissing(status)) return setStatus(nonce, { state: 'timed_out' })
      if (!(status instanceof Error) && isStatus(status)) setStatus(nonce, status)
      if (find(nonce)?.state !== 'pending') return
      if (remaining <= 1) return setStatus(nonce, { state: 'timed_out' })
      timers.after(timing.pollIntervalMs, () => void poll(remaining - 1))
    }
    const delay = Math.max(0, sentAt + timing.deadlineMs + timing.graceMs - now())
    timers.after(delay, () => void poll(timing.maxPolls))
  }

  async function invoke(body: CommandBody | ComponentBody | ModalBody, invocation: Invocation) {
    store.set(list => [...list, invocation])
    const sentAt = now()
    const send = () => api.call('createInteraction', { body })
    // If only the response was lost, the nonce makes the repetition harmless.
    const { id, state } = await send().catch((error: unknown) => {
      if (isLost(error)) return send()
      throw error
    })
    const { nonce } = invocation
    change(nonce, { id })
    if (respondedIds.has(id)) {
      if (invocation.openedBy !== undefined) closeModal(invocation.openedBy)
      return remove(nonce)
    }
    setStatus(nonce, { state })
    watch(nonce, id, sentAt)
  }

  return {
    store,

    /**
     * Rejects with the error of the request, which the form shows. If `describe` returns a text, that becomes a notice
     * instead. The service runs a command with the same `nonce` once.
     */
    async runCommand(
      { nonce = createNonce(), ...body }: Omit<CommandBody, 'type' | 'nonce'> & { nonce?: string },
      details: InvocationDetails,
      describe?: (error: unknown) => string | undefined,
    ) {
      const invocation: Invocation = {
        ...details,
        nonce,
        type: 'command',
        channelId: body.channelId,
        state: 'sending',
      }
      try {
        await invoke({ ...body, type: 'command', nonce }, invocation)
      } catch (error) {
        const current = find(nonce)
        // An event has shown that the service accepted the command.
        if (current === undefined || current.id !== undefined) return
        const reason = describe?.(error)
        if (reason !== undefined) return change(nonce, { state: 'failed', reason })
        remove(nonce)
        throw error
      }
    },

    /**
     * An error of the request becomes a notice at the message. Does nothing while another use of the component is open.
     */
    async invokeComponent(
      body: Omit<ComponentBody, 'type' | 'nonce'>,
      { describe, ...details }: InvocationDetails & { describe(error: unknown): string },
    ) {
      const { channelId, messageId, customId } = body
      const others = store.get().filter(other => other.messageId === messageId && other.customId === customId)
      if (!others.every(hasFailed)) return
      for (const other of others) remove(other.nonce)
      const nonce = createNonce()
      const invocation: Invocation = {
        ...details,
        nonce,
        type: 'component',
        channelId,
        messageId,
        customId,
        state: 'sending',
      }
      try {
        await invoke({ ...body, type: 'component', nonce }, invocation)
      } catch (error) {
        // Does nothing if an event has removed the invocation, because the bot has responded.
        change(nonce, { state: 'failed', reason: describe(error) })
      }
    },

    modals,
    openModal,

    /** Rejects with the error of the request, which the dialog shows. The dialog closes when the bot responds. */
    async submitModal({ interactionId, channelId, botName }: OpenModal, components: EnteredField[]) {
      const nonce = createNonce()
      const invocation: Invocation = {
        nonce,
        type: 'modal_submit',
        channelId,
        openedBy: interactionId,
        botName,
        state: 'sending',
      }
      try {
        await invoke({ type: 'modal_submit', channelId, interactionId, components, nonce }, invocation)
      } catch (error) {
        remove(nonce)
        throw error
      }
    },

    closeModal,

    /** INTERACTION_UPDATE. The event may arrive before the response to the request. */
    interactionUpdated({ id, nonce, ...status }: InteractionUpdate) {
      const invocation = store.get().find(other => other.id === id || other.nonce === nonce)
      if (!invocation) return
      if (!invocation.id) change(invocation.nonce, { id })
      setStatus(invocation.nonce, status)
    },

    /**
     * Call it when the message that an interaction created is shown. INTERACTION_UPDATE ends the invocations of
     * components and modals, which may change no message.
     */
    responseShown(interactionId: string) {
      respondedIds.add(interactionId)
      const invocation = store.get().find(other => other.id === interactionId)
      if (invocation?.type === 'command' && invocation.reasonCode === undefined) remove(invocation.nonce)
    },

    dismiss: remove,
  }
}

/** Whether the invocation failed or timed out. */
export function hasFailed({ state }: Pick<Invocation, 'state'>): boolean {
  return state === 'timed_out' || state === 'failed'
}

function isStatus(body: unknown): body is InteractionStatus {
  return typeof body === 'object' && body !== null && 'state' in body
}
