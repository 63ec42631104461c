import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

const refused = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const

/** Core §3.1.2.6: what this service does not offer has errors of its own (D18). */
export function refuseRequestObjects(parameters: Parameters): void {
  for (const [name, error] of Object.entries(refused)) {
    if (parameters.get(name) !== undefined)
      throw new Refusal(error, `The parameter ${name} is not supported.`)
  }
}
