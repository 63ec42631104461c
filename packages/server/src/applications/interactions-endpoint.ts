import { isJsonObject } from '@gatehouse/protocol/json-object'
import { firstResponseMs } from '@gatehouse/protocol/limits'
import { invalid, invalidUrl } from '../errors/app-error.ts'
import { type Outgoing, OutgoingError, type OutgoingResponse } from '../outgoing/index.ts'
import type { ApplicationRecord } from './application-store.ts'
import type { RequestSigner } from './request-signature.ts'

const path = 'interactionsEndpointUrl'

/** Of the ping and its response. The numbers are PING and PONG of Discord's API (discord/endpoint). */
const types = { native: { ping: 'ping', pong: 'pong' }, discord: { ping: 1, pong: 1 } } as const

/**
 * Sends two pings, the second with a wrong signature. Throws 400 unless the endpoint responds to the first with a pong
 * and rejects the second with 401 (bots/interactions-endpoint).
 */
export async function verifyEndpoint(
  { outgoing, sign }: { outgoing: Pick<Outgoing, 'post'>; sign: RequestSigner },
  application: Pick<ApplicationRecord, 'id' | 'privateKeySealed' | 'interactionsEndpointFormat'>,
  endpointUrl: string,
): Promise<void> {
  const url = new URL(endpointUrl)
  const { ping: pingType, pong } = types[application.interactionsEndpointFormat]
  const body = JSON.stringify({ type: pingType })

  async function ping(signature: ReturnType<RequestSigner>): Promise<OutgoingResponse> {
    const headers = { 'content-type': 'application/json', ...signature }
    try {
      return await outgoing.post(url, { headers, body, timeoutMs: firstResponseMs })
    } catch (error) {
      throw toFieldError(error, url)
    }
  }

  const response = await ping(sign(application, body))
  if (response.status !== 200) {
    const message = `must respond to a signed ping with status 200, not ${response.status}`
    throw invalid(path, 'endpoint_ping_failed', message)
  }
  if (!hasType(response, pong)) {
    const message = `must respond to a signed ping with ${JSON.stringify({ type: pong })}`
    throw invalid(path, 'endpoint_ping_failed', message)
  }

  // A signature of another body: it has the right form, so only an endpoint that verifies it rejects it.
  const { status } = await ping(sign(application, `${body} `))
  if (status !== 401) {
    const message = `must respond to a ping with a wrong signature with status 401, not ${status}`
    throw invalid(path, 'endpoint_signature_unchecked', message)
  }
}

function hasType({ body }: OutgoingResponse, type: unknown): boolean {
  try {
    const value: unknown = JSON.parse(body.toString())
    return isJsonObject(value) && value.type === type
  } catch {
    return false
  }
}

function toFieldError(error: unknown, url: URL): unknown {
  if (!(error instanceof OutgoingError)) return error
  const { reason, message } = error
  switch (reason) {
    case 'redirect':
    case 'content_encoding':
    case 'too_large':
      return invalid(path, 'endpoint_ping_failed', `must respond to a ping: ${message}`)
    case 'host':
      // http is accepted only for hosts in ALLOW_PRIVATE_TARGETS (bots/endpoint-url), and so not for a name that does
      // not exist.
      if (url.protocol === 'http:') return invalidUrl(path, 'https')
  }
  const hint = reason === 'host' ? '; ALLOW_PRIVATE_TARGETS permits private IP addresses' : ''
  return invalid(path, 'endpoint_unreachable', `could not be reached: ${message}${hint}`)
}
