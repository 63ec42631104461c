import type {
  InteractionProgress,
  InteractionReason,
  InteractionUpdate,
  InvokeAnswer,
  InvokeBody,
} from '@gatehouse/protocol/interactions'
import { type Api, ApiError, makeNonce } from '../api/client.ts'
import { createStore, type Store } from '../app/store.ts'
import type { ConnectionTimers } from '../gateway/connection.ts'

/** A command or a button that was used, until its answer is there or its notice is dismissed. */
export interface Invocation {
  nonce: string
  /** Known once the service has taken it. */
  id?: string
  type: 'command' | 'component'
  channelId: string
  /** Of a button: where it is, and which one. */
  messageId?: string
  customId?: string
  /** The command's name. */
  name?: string
  /** Whose answer is awaited. */
  botName: string
  botAvatar?: string | null
  /** The newest message at that moment: the row stands after it. */
  afterId?: string
  state: 'sending' | 'pending' | 'answered' | 'deferred' | 'timed_out' | 'failed'
  /** With `failed` and `timed_out`: the service's words, and what they say. */
  reason?: string
  reasonCode?: InteractionReason
}

export type Invoked = Pick<Invocation, 'botName'> &
  Partial<Pick<Invocation, 'name' | 'afterId' | 'botAvatar'>>

export interface Invocations {
  store: Store<readonly Invocation[]>
  /** Uses a command. Refusals are thrown, for the form to show; nothing of them stays. */
  runCommand(body: Omit<CommandBody, 'type' | 'nonce'>, about: Invoked): Promise<void>
  /** Presses a button. Refusals stay as a notice at the message. */
  press(
    body: Omit<PressBody, 'type' | 'nonce'>,
    about: Invoked & { describe(error: unknown): string },
  ): Promise<void>
  update(update: InteractionUpdate): void
  /** A message that answers the interaction is on the screen. */
  messageSeen(interactionId: string): void
  dismiss(nonce: string): void
}

type CommandBody = Required<Pick<InvokeBody, 'type' | 'nonce' | 'channelId' | 'commandId' | 'options'>>
type PressBody = Required<Pick<InvokeBody, 'type' | 'nonce' | 'channelId' | 'messageId' | 'customId'>>

interface Options {
  api: Pick<Api, 'get' | 'send'>
  timers: ConnectionTimers
  now(): number
}

/** How long a bot has (the specification), what the way there and back may take, and how often to ask then. */
export const patience = { deadlineMs: 3000, graceMs: 500, askEveryMs: 1000, asks: 5, lingerMs: 2000 } as const

export function createInvocations({ api, timers, now }: Options): Invocations {
  const store = createStore<readonly Invocation[]>([])
  const seen = new Set<string>()

  const find = (nonce: string) => store.get().find(other => other.nonce === nonce)
  const drop = (nonce: string) => store.set(list => list.filter(other => other.nonce !== nonce))
  const change = (nonce: string, changes: Partial<Invocation>) =>
    store.set(list => list.map(other => (other.nonce === nonce ? { ...other, ...changes } : other)))

  function progress(nonce: string, { state, reason, reasonCode }: Omit<InteractionProgress, 'id'>) {
    const invocation = find(nonce)
    if (!invocation || !isOpen(invocation)) return
    if (state === 'answered' || state === 'deferred') {
      if (invocation.type === 'component' || (invocation.id && seen.has(invocation.id))) return drop(nonce)
      // Its message is on the way; if it was deleted meanwhile, none comes.
      change(nonce, { state })
      timers.after(patience.lingerMs, () => drop(nonce))
      return
    }
    if (state === 'pending' && invocation.state !== 'sending') return
    change(nonce, {
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(reasonCode === undefined ? {} : { reasonCode }),
    })
  }

  /** The gateway tells of the end; this is for when it cannot (by the client's own clock). */
  function watch(nonce: string, id: string, sentAt: number) {
    const ask = async (left: number) => {
      if (find(nonce)?.state !== 'pending') return
      const answer = await api
        .get<InteractionProgress>(`/api/interactions/${id}`)
        .catch((error: unknown) => error)
      if (answer instanceof ApiError && answer.status === 404) return progress(nonce, { state: 'timed_out' })
      if (!(answer instanceof Error) && isProgress(answer)) progress(nonce, answer)
      if (find(nonce)?.state !== 'pending') return
      if (left <= 1) return progress(nonce, { state: 'timed_out' })
      timers.after(patience.askEveryMs, () => void ask(left - 1))
    }
    const wait = Math.max(0, sentAt + patience.deadlineMs + patience.graceMs - now())
    timers.after(wait, () => void ask(patience.asks))
  }

  async function invoke(body: CommandBody | PressBody, invocation: Invocation) {
    store.set(list => [...list, invocation])
    const sentAt = now()
    const answer = await api.send<InvokeAnswer>('POST', '/api/interactions', body)
    const { nonce } = invocation
    change(nonce, { id: answer.id })
    if (seen.has(answer.id)) return drop(nonce)
    progress(nonce, { state: answer.state })
    watch(nonce, answer.id, sentAt)
  }

  return {
    store,
    async runCommand(body, about) {
      const nonce = makeNonce()
      const invocation: Invocation = {
        ...about,
        nonce,
        type: 'command',
        channelId: body.channelId,
        state: 'sending',
      }
      try {
        await invoke({ ...body, type: 'command', nonce }, invocation)
      } catch (error) {
        drop(nonce)
        throw error
      }
    },
    async press(body, { describe, ...about }) {
      const { channelId, messageId, customId } = body
      const others = store.get().filter(other => other.messageId === messageId && other.customId === customId)
      if (others.some(isOpen)) return
      for (const other of others) drop(other.nonce)
      const nonce = makeNonce()
      const invocation: Invocation = {
        ...about,
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
        change(nonce, { state: 'failed', reason: describe(error) })
      }
    },
    update({ id, nonce, ...standing }) {
      const invocation = store.get().find(other => other.id === id || other.nonce === nonce)
      if (!invocation) return
      if (!invocation.id) change(invocation.nonce, { id })
      progress(invocation.nonce, standing)
    },
    messageSeen(interactionId) {
      seen.add(interactionId)
      const invocation = store.get().find(other => other.id === interactionId)
      if (invocation?.type === 'command' && isOpen(invocation)) drop(invocation.nonce)
    },
    dismiss: drop,
  }
}

/** Whether its outcome is still awaited. */
export function isOpen({ state }: Pick<Invocation, 'state'>): boolean {
  return state !== 'timed_out' && state !== 'failed'
}

function isProgress(answer: unknown): answer is InteractionProgress {
  return typeof answer === 'object' && answer !== null && 'state' in answer
}
