import { firstResponseMs } from '@gatehouse/protocol/limits'
import { urlFault } from '@gatehouse/protocol/urls'
import { invalid } from '../kit/app-error.ts'
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing/index.ts'
import type { RequestSigner } from './signature.ts'
import type { ApplicationRecord } from './store.ts'

const path = 'interactionsEndpointUrl'
const mustBeHttps = 'must be https; http is for addresses that ALLOW_PRIVATE_TARGETS names'

/** D57: `''` and null remove it. Throws 400 `invalid_url` for what cannot be an endpoint wherever it leads. */
export function readEndpointUrl(text: string | null): string | null {
  return readAddress(path, text)
}

/** The same for the address at another member of the body. */
export function readAddress(path: string, text: string | null): string | null {
  if (text === null || text === '') return null
  const fault = urlFault(text)
  if (fault) throw invalid(path, fault.rule, fault.message)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw invalid(path, 'invalid_url', 'must not have a user or a password')
  }
  if (url.hash !== '') throw invalid(path, 'invalid_url', 'must not have a fragment')
  return text
}

interface EndpointDeps {
  outgoing: Pick<Outgoing, 'post'>
  sign: RequestSigner
}

/**
 * Two pings, one of them wrongly signed: throws 400 where the endpoint is not there, does not answer the one, or does not
 * refuse the other (the contract, Developer console).
 */
export async function tryEndpoint(
  { outgoing, sign }: EndpointDeps,
  application: Pick<ApplicationRecord, 'id' | 'privateKeySealed'>,
  text: string,
): Promise<void> {
  const url = new URL(text)
  const body = JSON.stringify({ type: 'ping' })
  const ping = (signature: ReturnType<RequestSigner>) =>
    outgoing
      .post(url, {
        headers: { 'content-type': 'application/json', ...signature },
        body,
        timeoutMs: firstResponseMs,
      })
      .catch((error: unknown) => {
        throw toFault(error, url)
      })

  const answer = await ping(sign(application, body))
  if (answer.status !== 200) {
    throw invalid(
      path,
      'endpoint_ping_failed',
      `answered a signed ping with the status ${answer.status} instead of 200`,
    )
  }
  if (!isPong(answer)) {
    throw invalid(
      path,
      'endpoint_ping_failed',
      'answered a signed ping with something else than {"type":"pong"}',
    )
  }

  // Made with the right key for another body: it is well formed, and whoever checks it finds that it does not fit.
  const { status } = await ping(sign(application, `${body} `))
  if (status !== 401) {
    throw invalid(
      path,
      'endpoint_signature_unchecked',
      `answered a wrongly signed ping with the status ${status} instead of 401`,
    )
  }
}

function isPong({ body }: OutgoingAnswer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && 'type' in value && value.type === 'pong'
  } catch {
    return false
  }
}

function toFault(error: unknown, url: URL): unknown {
  if (!(error instanceof OutgoingError)) return error
  const { reason, message } = error
  switch (reason) {
    case 'redirect':
    case 'encoded':
    case 'too_large':
      return invalid(path, 'endpoint_ping_failed', `did not answer a ping as it must: ${message}`)
    case 'refused_address':
    case 'dns':
      // D50; a name without an address is not named either.
      if (url.protocol === 'http:') return invalid(path, 'invalid_url', mustBeHttps)
  }
  const hint = reason === 'refused_address' ? '; ALLOW_PRIVATE_TARGETS opens private ones' : ''
  return invalid(path, 'endpoint_unreachable', `could not be reached: ${message}${hint}`)
}
