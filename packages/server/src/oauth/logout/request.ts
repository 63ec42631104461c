import { isId } from '@gatehouse/protocol/ids'
import { type ApplicationRecord, findApplication } from '../../applications/index.ts'
import type { Sql } from '../../storage/database.ts'
import { dead } from '../authorize/index.ts'
import type { Hint } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'
import { isRegistered } from '../redirect-uri.ts'

export interface LogoutRequest {
  /** Undefined where the request does not say. */
  client: ApplicationRecord | undefined
  hint: Hint | undefined
  redirectUri: string | undefined
  state: string | undefined
}

const known = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']

/** RP-Initiated Logout §2, §3 and §4: what is wrong gets a page, never a redirect. Throws AppError. */
export async function readLogoutRequest(
  sql: Sql,
  readHint: (token: string) => Promise<Hint | undefined>,
  parameters: Parameters,
): Promise<LogoutRequest> {
  if (parameters.faulty().some(name => known.includes(name))) {
    throw dead('The link that led here names something twice, or is malformed.')
  }
  const hint = await checkHint(readHint, parameters)
  const client = await checkClient(sql, parameters, hint)
  return {
    client,
    hint,
    redirectUri: checkRedirectUri(parameters, client),
    state: parameters.get('state'),
  }
}

/** §2: expired or not. */
async function checkHint(
  readHint: (token: string) => Promise<Hint | undefined>,
  parameters: Parameters,
): Promise<Hint | undefined> {
  const text = parameters.get('id_token_hint')
  if (text === undefined) return undefined
  const hint = await readHint(text)
  if (hint === undefined) throw dead('The link that led here holds an id_token_hint that is none of ours.')
  return hint
}

/** §2: by both ways it is the same application. */
async function checkClient(
  sql: Sql,
  parameters: Parameters,
  hint: Hint | undefined,
): Promise<ApplicationRecord | undefined> {
  const id = parameters.get('client_id')
  if (id === undefined) return hint && findApplication(sql, hint.applicationId)
  if (hint !== undefined && hint.applicationId !== id) {
    throw dead('The link that led here holds an id_token_hint of another application.')
  }
  const client = isId(id) ? await findApplication(sql, id) : undefined
  if (!client) throw dead('The link that led here is from an application that does not exist.')
  return client
}

/** §3: registered beforehand, compared as the addresses of a sign-in are (D10). */
function checkRedirectUri(parameters: Parameters, client: ApplicationRecord | undefined): string | undefined {
  const uri = parameters.get('post_logout_redirect_uri')
  if (uri === undefined) return undefined
  if (!client) throw dead('The link that led here does not say which application it is from.')
  if (isRegistered(uri, { ...client, redirectUris: client.postLogoutRedirectUris })) return uri
  throw dead('The link that led here would return to an address that the application has not registered.')
}
