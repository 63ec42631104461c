import type { ApplicationRecord } from '../../applications/index.ts'
import type { Parameters } from '../parameters.ts'
import { Refusal } from './refusal.ts'

/** Core §3.1.2.1: the person the application believes to be there; an expired token is as good. */
export async function checkIdTokenHint(
  subjectOfHint: (token: string, applicationId: string) => Promise<string | undefined>,
  client: ApplicationRecord,
  parameters: Parameters,
): Promise<string | undefined> {
  const hint = parameters.get('id_token_hint')
  if (hint === undefined) return undefined
  const subject = await subjectOfHint(hint, client.id)
  if (subject === undefined)
    throw new Refusal('invalid_request', 'The id_token_hint is not an id_token of ours.')
  return subject
}
