import type { ApplicationRecord } from '../../applications/index.ts'
import type { Parameters } from '../parameters.ts'
import { isRegistered } from '../redirect-uri.ts'
import { dead } from './refusal.ts'

/**
 * RFC 6749 §3.1.2.3, §3.1.2.4: where the answer goes. What is not registered is never redirected to (D11). Undefined only
 * where no redirect is needed (D23).
 */
export function checkRedirectUri(
  client: ApplicationRecord,
  parameters: Parameters,
  { optional }: { optional: boolean },
): string | undefined {
  const sent = parameters.get('redirect_uri')
  if (parameters.isRepeated('redirect_uri'))
    throw dead('The link that led here names two addresses to return to.')
  if (sent !== undefined) {
    if (isRegistered(sent, client)) return sent
    throw dead('The link that led here would return to an address that the application has not registered.')
  }
  if (optional) return undefined
  const [only, ...others] = client.redirectUris
  // The specification: it may be left out where exactly one is registered.
  if (only !== undefined && others.length === 0) return only
  throw dead('The link that led here does not say which address to return to.')
}
