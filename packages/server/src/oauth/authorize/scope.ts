import type { ApplicationRecord } from '../../applications/index.ts'
import type { Parameters } from '../parameters.ts'
import { isInstallation, isPersonal, readScopes, type Scopes, scopesOf } from '../scopes.ts'
import { Refusal } from './refusal.ts'

/** RFC 6749 §3.3: what is asked for; unknown scopes are ignored while a known one remains (D12). */
export function checkScope(client: ApplicationRecord, parameters: Parameters): Scopes {
  const text = parameters.get('scope')
  if (text === undefined) throw new Refusal('invalid_scope', 'The scope is missing.')
  const scopes = readScopes(text)
  if (!scopes) throw new Refusal('invalid_scope', 'The scope is malformed.')
  if (!scopes.meanings.some(meaning => isInstallation(meaning) || isPersonal(meaning))) {
    throw new Refusal('invalid_scope', 'No scope of the request is known.')
  }
  if (scopes.meanings.some(isInstallation) && client.botUserId === null) {
    throw new Refusal('invalid_scope', 'The application has no bot to add.')
  }
  return scopes
}

/** D23: nothing but a bot or its commands is asked for, so no code is issued. Read before the scope is judged. */
export function asksForInstallationOnly(parameters: Parameters): boolean {
  const scopes = readScopes(parameters.get('scope') ?? '') ?? scopesOf([])
  return scopes.meanings.length > 0 && scopes.meanings.every(isInstallation)
}
