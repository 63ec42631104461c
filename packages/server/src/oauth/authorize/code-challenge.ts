import type { ApplicationRecord } from '../../applications/index.ts'
import type { Parameters } from '../parameters.ts'
import { isChallenge } from '../pkce.ts'
import { Refusal } from './refusal.ts'

/** RFC 7636 §4.3, §4.4.1: required of applications without a secret, S256 only (D9, D70). */
export function checkCodeChallenge(
  client: ApplicationRecord,
  parameters: Parameters,
  { needed }: { needed: boolean },
): string | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (method !== undefined && method !== 'S256') {
    throw new Refusal('invalid_request', 'The code_challenge_method is S256.')
  }
  if (challenge === undefined) {
    if (method !== undefined)
      throw new Refusal('invalid_request', 'A code_challenge_method came without challenge.')
    if (needed && client.type === 'public') throw new Refusal('invalid_request', 'code challenge required')
    return undefined
  }
  if (!isChallenge(challenge)) {
    throw new Refusal('invalid_request', 'The code_challenge is not BASE64URL of a SHA-256 sum.')
  }
  return challenge
}
