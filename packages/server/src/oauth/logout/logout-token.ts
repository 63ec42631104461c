import { logoutTokenSeconds } from '@gatehouse/protocol/limits'
import type { Clock } from '../../kit/clock.ts'
import type { SigningKeys } from '../signing-keys.ts'
import type { Party } from './parties.ts'

/** Back-Channel Logout §2.4. Never a `nonce`: nobody may take it for an id_token. */
export function signLogoutToken(
  deps: { clock: Clock; ids: () => string; baseUrl: string; keys: Pick<SigningKeys, 'sign'> },
  { applicationId, userId, sid }: Party,
): Promise<string> {
  const issuedAt = Math.floor(deps.clock() / 1000)
  return deps.keys.sign('logout+jwt', {
    iss: deps.baseUrl,
    aud: applicationId,
    iat: issuedAt,
    exp: issuedAt + logoutTokenSeconds,
    jti: deps.ids(),
    sub: userId,
    sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
}
