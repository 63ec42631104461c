import { CallbackBody } from '@gatehouse/protocol/interactions'
import type { RequestSigner } from '../applications/index.ts'
import { parseJson } from '../http/json.ts'
import { compileValidator } from '../http/validation.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing/index.ts'
import type { Answerer } from './answering.ts'
import type { Deliver, Delivered, Parcel } from './delivery.ts'
import { reasons } from './interaction.ts'

export interface EndpointFailure {
  applicationId: string
  interactionId: string
  reason: string
  /** Of the endpoint's answer, where there was one. */
  status?: number
}

interface HttpDeliveryDeps {
  clock: Clock
  outgoing: Pick<Outgoing, 'post'>
  sign: RequestSigner
  /** The bot's first response, by the rule of the callback route. */
  callback: (answerer: Answerer, body: CallbackBody) => Promise<unknown>
  /** For the log: an endpoint did not take what it was sent. */
  note: (failure: EndpointFailure) => void
}

const taken: Delivered = { taken: true, sessionId: undefined }

/** What an endpoint did instead of taking the event, in words for the person and for the developer's log. */
class Refusal extends Error {
  readonly status: number | undefined
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/**
 * Delivery by a signed POST to the application's `interactionsEndpointUrl` (D26, D51): once, whatever comes of it. Its
 * answer may be the first response. Settles when the endpoint has answered, or at the deadline.
 */
export function createHttpDelivery(deps: HttpDeliveryDeps): Deliver {
  const judge = compileValidator({ schema: CallbackBody, httpPart: 'body' })

  /** As the callback route reads its body. */
  function readCallback(bytes: Uint8Array): CallbackBody {
    const body = parseJson(bytes)
    const verdict = judge(body)
    if (typeof verdict === 'object') throw verdict.error
    // A parse edge: it was held against the schema.
    return body as CallbackBody
  }

  return async parcel => {
    const { id: interactionId, applicationId } = parcel.event
    try {
      const answer = await post(deps, parcel)
      if (answer && isCallback(answer)) await respond(deps, parcel, () => readCallback(answer.body))
      return taken
    } catch (error) {
      if (!(error instanceof Refusal)) return { taken: false, reason: reasons.unreachable, cause: error }
      const { message: reason, status } = error
      deps.note({ applicationId, interactionId, reason, ...(status === undefined ? {} : { status }) })
      return { taken: false, reason }
    }
  }
}

/** Undefined where the deadline passed: it may have reached the bot all the same, which is told by the deadline itself. */
async function post(
  { clock, outgoing, sign }: HttpDeliveryDeps,
  { event, application, deadlineAt }: Parcel,
): Promise<OutgoingAnswer | undefined> {
  const { interactionsEndpointUrl } = application
  if (interactionsEndpointUrl === null) throw new Error('the application has no endpoint')
  const body = JSON.stringify(event)
  const headers = { 'content-type': 'application/json', ...sign(application, body) }
  try {
    const url = new URL(interactionsEndpointUrl)
    return await outgoing.post(url, { headers, body, timeoutMs: deadlineAt - clock() })
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (error.reason === 'timeout') return undefined
    throw new Refusal(`The bot's endpoint failed: ${error.message}.`)
  }
}

/** D51: false where the callback follows by its own request. */
function isCallback({ status, body }: OutgoingAnswer): boolean {
  if (status === 202 || status === 204) return false
  if (status !== 200) throw new Refusal(`The bot's endpoint answered with the status ${status}.`, status)
  return body.length > 0
}

async function respond(
  { callback }: HttpDeliveryDeps,
  { event, application }: Parcel,
  readBody: () => CallbackBody,
): Promise<void> {
  const { id, token, applicationId } = event
  const { botUserId } = application
  if (botUserId === null) throw new Error('the application has no bot')
  try {
    await callback({ userId: botUserId, applicationId, id, token }, readBody())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // It was answered by a request of its own meanwhile, or too late: the interaction says so by itself.
    if (error.code === 'interaction_already_answered' || error.code === 'interaction_timed_out') return
    const [fault] = error.errors ?? []
    const what = fault ? `${fault.path === '' ? 'it' : fault.path} ${fault.message}.` : error.message
    throw new Refusal(`The bot's endpoint answered with what cannot be used: ${what}`, 200)
  }
}
