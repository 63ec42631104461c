import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { findUrlViolation } from '@gatehouse/protocol/urls'
import { invalidAll, invalidUrl } from '../errors/app-error.ts'
import { isValidHost } from '../kit/host.ts'
import type { Outgoing } from '../outgoing/index.ts'

/** `''` and null remove the endpoint. Throws 400 `invalid_url` (community/validation). */
export function parseEndpointUrl(text: string | null): string | null {
  return parseHttpUrl('interactionsEndpointUrl', text)
}

/**
 * OpenID Connect Back-Channel Logout §2.2: an absolute https URL without a fragment. http is accepted only for hosts in
 * ALLOW_PRIVATE_TARGETS, as for an interactions endpoint (bots/endpoint-url). `''` and null remove it. Throws 400
 * `invalid_url`.
 */
export function parseLogoutUri(outgoing: Pick<Outgoing, 'isAllowed'>, text: string | null): string | null {
  const path = 'backchannelLogoutUri'
  const uri = parseHttpUrl(path, text)
  if (uri === null) return null
  const url = new URL(uri)
  if (outgoing.isAllowed(url)) return uri
  throw invalidUrl(path, url.protocol === 'http:' ? 'https' : 'private_address')
}

function parseHttpUrl(path: string, text: string | null): string | null {
  if (text === null || text === '') return null
  const error = findUrlViolation(text)
  if (error) throw invalidAll(toFieldErrors([{ ...error, path: [path] }]))
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw invalidUrl(path, 'credentials')
  if (url.hash !== '') throw invalidUrl(path, 'fragment')
  if (!isValidHost(url.hostname)) throw invalidUrl(path, 'host')
  return text
}
