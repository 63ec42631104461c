import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

const known: readonly string[] = [
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'permissions',
  'server_id',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'display',
  'ui_locales',
  'claims_locales',
  'acr_values',
  'request',
  'request_uri',
  'registration',
]

/** RFC 6749 §3.1: no parameter more than once. Unknown ones are ignored, however often they come. */
export function refuseRepeated(parameters: Parameters): void {
  const faulty = parameters.faulty().find(name => known.includes(name))
  if (faulty === undefined) return
  throw new Refusal('invalid_request', `The parameter ${faulty} came more than once, or is malformed.`)
}
