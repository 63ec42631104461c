import { toFieldErrors, type Violation } from '@gatehouse/protocol/field-errors'
import {
  type CallbackBody,
  ResponseData,
  type TryBody,
  type TryResponse,
} from '@gatehouse/protocol/interactions'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { ModalInput } from '@gatehouse/protocol/modals'
import { parse } from '@gatehouse/protocol/parse'
import { findCommand, ownApplication } from '../applications/index.ts'
import { AppError, invalidAll, notFound } from '../errors/app-error.ts'
import type { Callback } from './callbacks.ts'
import type { Dispatch, DispatchFailure } from './dispatch.ts'
import { describeResponseErrors } from './endpoint-dispatch.ts'
import { createInteraction, type InteractionDeps } from './interactions.ts'

/**
 * Runs a command of an application for its owner, who gives the response in the request, so that no bot process is
 * needed. A message is ephemeral. What the owner presses or submits in the response is an interaction with the bot
 * (bots/trial). Throws 404 for a command of another application.
 */
export async function tryCommand(
  deps: InteractionDeps & { callback: Callback },
  { ownerId, applicationId }: { ownerId: string; applicationId: string },
  { answer, ...request }: TryBody,
): Promise<TryResponse> {
  const { botUserId } = await ownApplication(deps.db, ownerId, applicationId)
  const command = await findCommand(deps.db, request.commandId)
  if (botUserId === null || command?.applicationId !== applicationId) throw notFound()
  const { body, violations } = parseAnswer(answer)
  let result: TryResponse | undefined
  let responseError: unknown

  /** Takes the place of the dispatcher: sends the given response as the bot would. */
  const start = async ({ event }: Dispatch): Promise<DispatchFailure | undefined> => {
    try {
      if (body === undefined) throw invalidAll(toFieldErrors(violations, 'answer'))
      const message = await deps.callback({ applicationId, id: event.id, token: event.token }, body)
      const modal = body.type === 'modal' && { modal: body.data }
      if (event.type === 'command') result = { event, message, ...modal }
      return undefined
    } catch (error) {
      responseError = error
      const problem = error instanceof AppError ? ` ${describeResponseErrors(withRequestPaths(error))}` : ''
      const detail = `The response of the trial is invalid.${problem}`
      return { kind: 'failed', reason: { code: 'endpoint_failed', detail } }
    }
  }

  try {
    const dispatcher = { deliveryOf: () => 'console' as const, start }
    await createInteraction({ ...deps, dispatcher }, ownerId, { type: 'command', ...request })
  } catch (error) {
    // So that one 400 lists the errors of both.
    if (!(error instanceof AppError) || !error.errors) throw error
    throw invalidAll([...error.errors, ...toFieldErrors(violations, 'answer')])
  }
  if (responseError !== undefined) throw withRequestPaths(responseError)
  if (!result) throw new Error('the trial of a command has no response')
  return result
}

/** The first response, of which only the developer sees a message. */
function parseAnswer(answer: unknown): { body?: CallbackBody; violations: readonly Violation[] } {
  // Only a modal has these members.
  if (isJsonObject(answer) && ('customId' in answer || 'title' in answer)) {
    const { value: data, violations } = parse(ModalInput, answer)
    return data === undefined ? { violations } : { body: { type: 'modal', data }, violations }
  }
  const { value, violations } = parse(ResponseData, answer)
  if (value === undefined) return { violations }
  return { body: { type: 'message', data: { ...value, ephemeral: true } }, violations }
}

/** A callback has `data` where this request has `answer`. */
function withRequestPaths<E>(error: E): E | AppError {
  if (!(error instanceof AppError) || !error.errors) return error
  return invalidAll(error.errors.map(field => ({ ...field, path: field.path.replace(/^data\b/, 'answer') })))
}
