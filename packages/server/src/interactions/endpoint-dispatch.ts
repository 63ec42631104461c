import type { EndpointFormat } from '@gatehouse/protocol/applications'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { CallbackBody, type InteractionCreate } from '@gatehouse/protocol/interactions'
import { parse } from '@gatehouse/protocol/parse'
import { AppError, invalidAll } from '../errors/app-error.ts'
import { parseJson } from '../http/json.ts'
import { OutgoingError, type OutgoingResponse } from '../outgoing/index.ts'
import { msToRespond } from './deadline.ts'
import type { Dispatch, DispatchFailure } from './dispatch.ts'
import type { Deps } from './interaction-deps.ts'
import type { StatusReason } from './interaction-store.ts'

export interface EndpointFailure {
  applicationId: string
  interactionId: string
  /** A sentence for the developer. */
  reason: string
  /** The status of the response, if there was one. */
  status?: number
}

/** The requests to an endpoint in the format of another API. */
export interface OtherEndpointFormat {
  /** The body of a request. */
  describe(event: InteractionCreate): Promise<object>
  /** The first response in the JSON of the response. Throws 400. */
  readCallback(value: unknown): CallbackBody
}

export type EndpointDispatchDeps = Pick<Deps, 'clock' | 'outgoing' | 'sign'> & {
  endpointFormats: Readonly<Record<Exclude<EndpointFormat, 'native'>, OtherEndpointFormat>>
  onFailure: (failure: EndpointFailure) => void
}

/** The bot is not the cause, for example if the database is unavailable when its response is stored. */
const ownFailure: StatusReason = {
  code: 'endpoint_failed',
  detail: 'The service failed while it called the endpoint or stored its response.',
}

/** `message` is the reason in the application's log. */
class EndpointError extends Error {
  readonly status: number | undefined
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** What is known after an event was sent to an endpoint. */
type EndpointResult =
  /** Without `response`, the bot will call the callback route instead (bots/endpoint-signature). */
  | { kind: 'confirmed'; response: CallbackBody | undefined }
  /** The endpoint did not respond before the deadline, but may have the event. */
  | { kind: 'unconfirmed' }

export type EndpointDispatch = ReturnType<typeof createEndpointDispatch>

/** (bots/interaction-delivery, bots/endpoint-signature) */
export function createEndpointDispatch(deps: EndpointDispatchDeps) {
  const { clock, outgoing, sign, endpointFormats, onFailure } = deps

  /** Undefined for ours, also of an application that a node of the last version read. */
  const otherFormatOf = ({ interactionsEndpointFormat: format }: Dispatch['application']) =>
    format === 'native' ? undefined : endpointFormats[format]

  /** Undefined if the deadline passed. The endpoint may have received the event, so the deadline decides. */
  async function post(dispatch: Dispatch): Promise<OutgoingResponse | undefined> {
    const { event, application } = dispatch
    const { interactionsEndpointUrl } = application
    if (interactionsEndpointUrl === null) throw new Error('the application has no interactions endpoint')
    const format = otherFormatOf(application)
    const body = JSON.stringify(format === undefined ? event : await format.describe(event))
    const headers = { 'content-type': 'application/json', ...sign(application, body) }
    try {
      const url = new URL(interactionsEndpointUrl)
      return await outgoing.post(url, { headers, body, timeoutMs: msToRespond(dispatch, clock()) })
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      if (error.reason === 'timeout') return undefined
      throw new EndpointError(`The bot's endpoint failed: ${error.message}.`)
    }
  }

  /** Validates as the callback route does. */
  function parseCallback(bytes: Uint8Array, format: OtherEndpointFormat | undefined): CallbackBody {
    const json = parseJson(bytes)
    if (format !== undefined) return format.readCallback(json)
    const { value, violations } = parse(CallbackBody, json)
    if (value === undefined) throw invalidAll(toFieldErrors(violations))
    return value
  }

  return {
    /** Sends one signed POST to the application's `interactionsEndpointUrl`, without retries. Rejects if it fails. */
    async send(dispatch: Dispatch): Promise<EndpointResult> {
      const posted = await post(dispatch)
      if (!posted) return { kind: 'unconfirmed' }
      const response = containsCallback(posted)
        ? parseCallback(posted.body, otherFormatOf(dispatch.application))
        : undefined
      return { kind: 'confirmed', response }
    },

    /** Logs what `send` threw, or the operation on its response. Undefined if it is not a failure. */
    toFailure({ event }: Dispatch, error: unknown): DispatchFailure | undefined {
      // The bot called the callback route first, or the deadline passed.
      if (
        error instanceof AppError &&
        (error.code === 'interaction_already_answered' || error.code === 'interaction_timed_out')
      )
        return undefined
      const failure = error instanceof AppError ? invalidResponse(error) : error
      if (!(failure instanceof EndpointError)) return { kind: 'failed', reason: ownFailure, cause: error }
      const { message: detail, status } = failure
      const { id: interactionId, applicationId } = event
      onFailure({ applicationId, interactionId, reason: detail, ...(status === undefined ? {} : { status }) })
      return { kind: 'failed', reason: { code: 'endpoint_failed', detail } }
    },
  }
}

function containsCallback({ status, body }: OutgoingResponse): boolean {
  if (status === 202 || status === 204) return false
  if (status !== 200) throw new EndpointError(`The bot's endpoint returned status ${status}.`, status)
  return body.length > 0
}

function invalidResponse(error: AppError): EndpointError {
  return new EndpointError(
    `The bot's endpoint returned an invalid response: ${describeResponseErrors(error)}`,
    200,
  )
}

/** What is wrong with a response of a bot, for the log of interactions: every invalid field. */
export function describeResponseErrors({ errors, message }: AppError): string {
  if (errors === undefined) return message
  const problems = errors.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}.`)
  return problems.slice(0, maxLoggedErrors).join(' ')
}

const maxLoggedErrors = 50
