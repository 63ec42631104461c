import { invalid } from '../kit/app-error.ts'
import type { Outgoing } from '../outgoing/index.ts'
import { readAddress } from './endpoint.ts'

const path = 'backchannelLogoutUri'

/**
 * OpenID Connect Back-Channel Logout §2.2: an absolute address without a fragment, https; http only to addresses that
 * ALLOW_PRIVATE_TARGETS names, as for the other endpoint (D50). `''` and null remove it. Throws 400 `invalid_url`.
 */
export function readLogoutUri(outgoing: Pick<Outgoing, 'mayReach'>, text: string | null): string | null {
  const address = readAddress(path, text)
  if (address !== null && !outgoing.mayReach(new URL(address))) {
    throw invalid(
      path,
      'invalid_url',
      'must be https, and not at an address that this service does not reach',
    )
  }
  return address
}
