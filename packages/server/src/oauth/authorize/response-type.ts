import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

/** RFC 6749 §3.1.1: only `code`; none is needed where no code is asked for (D23). */
export function checkResponseType(parameters: Parameters, { optional }: { optional: boolean }): void {
  const type = parameters.get('response_type')
  if (type === undefined) {
    if (optional) return
    throw new Refusal('invalid_request', 'The response_type is missing.')
  }
  if (type !== 'code') throw new Refusal('unsupported_response_type', 'The response_type is code.')
}

/** Multiple Response Type Encoding Practices §2.1: a code comes back in the query. */
export function checkResponseMode(parameters: Parameters): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') {
    throw new Refusal('invalid_request', 'The response_mode is query.')
  }
}
