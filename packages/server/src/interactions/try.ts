import type { CallbackBody, CommandInteraction, TryAnswer, TryBody } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { findCommand, ownApplication } from '../applications/index.ts'
import { AppError, notFound } from '../kit/app-error.ts'
import type { Answerer } from './answering.ts'
import type { Delivered, Parcel } from './delivery.ts'
import { reasons } from './interaction.ts'
import { type InvokeDeps, invoke } from './invoke.ts'

interface TryDeps extends InvokeDeps {
  /** The bot's first response, by the rule of the callback route. */
  callback: (answerer: Answerer, body: CallbackBody) => Promise<Message | null>
}

/**
 * The whole way of a command without a bot process: the checks of a use, the event that the bot would get, and its answer
 * as the owner of the application has written it, which nobody else sees. 404 for a command of another application.
 */
export async function tryCommand(
  deps: TryDeps,
  { ownerId, applicationId }: { ownerId: string; applicationId: string },
  { answer, ...use }: TryBody,
): Promise<TryAnswer> {
  const { botUserId } = await ownApplication(deps.db, ownerId, applicationId)
  const command = await findCommand(deps.db, use.commandId)
  if (botUserId === null || command?.applicationId !== applicationId) throw notFound()
  let tried: TryAnswer | undefined
  let fault: unknown
  async function start({ event }: Parcel): Promise<Delivered> {
    const answerer = { userId: botUserId ?? '', applicationId, id: event.id, token: event.token }
    try {
      const message = await deps.callback(answerer, { type: 'message', data: { ...answer, ephemeral: true } })
      if (message && isCommand(event)) tried = { event, message }
      return { taken: true, sessionId: undefined }
    } catch (error) {
      fault = error
      return { taken: false, reason: reasons.refused }
    }
  }
  await invoke({ ...deps, deliveries: { start }, deliveryOf: () => 'console' }, ownerId, {
    type: 'command',
    ...use,
  })
  if (fault !== undefined) throw asWritten(fault)
  if (!tried) throw new Error('a command was answered with no message')
  return tried
}

function isCommand(event: Parcel['event']): event is CommandInteraction {
  return event.type === 'command'
}

/** The bot says `data` where the console's request says `answer`. */
function asWritten(fault: unknown): unknown {
  if (!(fault instanceof AppError) || !fault.errors) return fault
  const errors = fault.errors.map(error => ({ ...error, path: error.path.replace(/^data\b/, 'answer') }))
  return new AppError(fault.code, fault.message, { errors })
}
