import { isId } from '@gatehouse/protocol/ids'
import { effectivePermissions } from '@gatehouse/protocol/permissions'
import { findByBotUser } from '../applications/index.ts'
import { type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { type Route, route } from '../http/route.ts'
import type { Sql } from '../storage/database.ts'
import { requireShortQuery } from './authorization-request.ts'
import { redirectWithoutCache } from './authorize-routes.ts'
import { Parameters, parseQuery } from './parameters.ts'

/** The links that libraries for Discord's API make to install a bot, or to sign in (discord/authorize-link). */
export function authorizeLinkRoute({ db, pages }: { db: Sql; pages: Pages }): Route {
  return route('authorizeLink', {
    summary: "Redirects links that libraries for Discord's API make to the authorization endpoint.",
    tag: 'Sign-in',
    caller: { anonymous: true },
    responses: { 303: null },
    errorFormat: pageErrorFormat(pages),
    async handle({ request }) {
      const parameters = await translate(db, parseQuery(request.url))
      requireShortQuery(parameters)
      return redirectWithoutCache(`/oauth2/authorize?${parameters}`)
    },
  })
}

const installationScopes = ['bot', 'applications.commands']

/** Of a request that is no installation, nothing changes. */
async function translate(sql: Sql, parameters: Parameters): Promise<Parameters> {
  const scopes = (parameters.get('scope') ?? '').split(' ').filter(scope => scope !== '')
  if (!scopes.some(scope => installationScopes.includes(scope))) return parameters
  const onlyInstalls = scopes.every(scope => installationScopes.includes(scope))
  const hasServer = parameters.get('server_id') !== undefined
  const pairs = parameters.pairs.map(async ([name, value]): Promise<[string, string]> => {
    if (name === 'guild_id' && !hasServer) return ['server_id', value]
    if (name === 'permissions') return [name, withEffect(value)]
    if (name === 'client_id' && onlyInstalls) return [name, await toApplicationId(sql, value)]
    return [name, value]
  })
  return new Parameters(await Promise.all(pairs), parameters.undecodable)
}

/** The authorization endpoint rejects bits that it does not know. */
function withEffect(permissions: string): string {
  return /^\d{1,20}$/.test(permissions) ? String(BigInt(permissions) & effectivePermissions) : permissions
}

/** Libraries take the id of the bot for that of its application, which differ for a bot of 0.3.0. */
async function toApplicationId(sql: Sql, id: string): Promise<string> {
  return isId(id) ? ((await findByBotUser(sql, id)) ?? id) : id
}
