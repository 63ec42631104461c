import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { CallbackBody, TryBody, TryResponse } from '@gatehouse/protocol/interactions'
import { checkModal } from '@gatehouse/protocol/modals'
import { findCommand, ownApplication } from '../applications/index.ts'
import { AppError, invalidAll, notFound } from '../kit/app-error.ts'
import type { Callback } from './callback.ts'
import { parseResponseBody } from './content.ts'
import type { Dispatch, DispatchFailure } from './dispatch.ts'
import { createInteraction, type InteractionDeps } from './interactions.ts'

/**
 * Runs a command of an application for its owner, who gives the response in the request, so that no bot process is needed.
 * A message is ephemeral. What the owner presses or submits in the response is an interaction with the bot (bots/trial).
 * Throws 404 for a command of another application.
 */
export async function tryCommand(
  deps: InteractionDeps & { callback: Callback },
  { ownerId, applicationId }: { ownerId: string; applicationId: string },
  { answer: response, ...request }: TryBody,
): Promise<TryResponse> {
  const { botUserId } = await ownApplication(deps.db, ownerId, applicationId)
  const command = await findCommand(deps.db, request.commandId)
  if (botUserId === null || command?.applicationId !== applicationId) throw notFound()
  // Only a modal has these members.
  const isModal = response.customId !== undefined || response.title !== undefined
  const body: CallbackBody = isModal
    ? { type: 'modal', data: response }
    : { type: 'message', data: { ...response, ephemeral: true } }
  const { modal, violations } = isModal ? checkModal(response) : { modal: undefined, violations: [] }
  let result: TryResponse | undefined
  let responseError: unknown

  /** Takes the place of the dispatcher: sends the given response as the bot would. */
  const start = async ({ event }: Dispatch): Promise<DispatchFailure | undefined> => {
    try {
      const message = await deps.callback({ applicationId, id: event.id, token: event.token }, body)
      if (event.type === 'command') result = { event, message, ...(modal && { modal }) }
      return undefined
    } catch (error) {
      responseError = error
      const detail = 'The response of the trial is invalid.'
      return { kind: 'failed', reason: { code: 'endpoint_failed', detail } }
    }
  }

  try {
    const dispatcher = { deliveryOf: () => 'console' as const, start }
    await createInteraction({ ...deps, dispatcher }, ownerId, { type: 'command', ...request })
  } catch (error) {
    throw withResponseErrors(error, () => {
      if (violations.length > 0) throw invalidAll(toFieldErrors(violations, 'answer'))
      if (!isModal) parseResponseBody(response, 'answer')
    })
  }
  if (responseError !== undefined) throw withRequestPaths(responseError)
  if (!result) throw new Error('the trial of a command has no response')
  return result
}

/** The options are validated before the response. Adds the field errors of the response, so that one 400 lists both. */
function withResponseErrors(error: unknown, checkResponse: () => void): unknown {
  if (!(error instanceof AppError) || !error.errors) return error
  try {
    checkResponse()
    return error
  } catch (other) {
    return other instanceof AppError && other.errors ? invalidAll([...error.errors, ...other.errors]) : error
  }
}

/** A callback has `data` where this request has `answer`. */
function withRequestPaths(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.errors) return error
  return invalidAll(error.errors.map(field => ({ ...field, path: field.path.replace(/^data\b/, 'answer') })))
}
