import { readFileSync } from 'node:fs'
import { Permission, type PermissionName } from '@gatehouse/protocol/permissions'
import type { TestClient, TestResponse } from '@gatehouse/testkit/service'
import { signIn, type World } from './world.ts'

/** A line of `access.txt`: a route and its cells by column. */
export interface Row {
  method: string
  path: string
  /** `GET /api/servers/:id` */
  route: string
  cells: Readonly<Record<string, string>>
}

/**
 * What a request of a route has besides its method. By default, the parameters of the path are ids of the world, and
 * the body is the example of the API document.
 */
export interface Parts {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** JSON, or a PNG. */
  body?: unknown
  form?: Readonly<Record<string, string | undefined>>
  /** The page with the form. Its hidden fields are sent too. */
  page?: string
}

/**
 * Reads the table. `route` begins the line with the columns of the next lines, and so does a path, with which
 * their paths begin. `permission` begins a line with the cell that the next lines share: one permission or several.
 * A route may be in several parts.
 */
export function readTable(): Row[] {
  const rows = new Map<string, Row>()
  let [prefix, columns, shared]: [string, string[], object] = ['', [], {}]
  for (const line of readFileSync(new URL('access.txt', import.meta.url), 'utf8').split('\n')) {
    const [first = '', ...rest] = line.trim().split(/\s+/)
    const [second = '', ...cells] = rest
    if (first === '' || first === '#') continue
    if (first === 'permission') shared = { permission: second }
    else if (first === 'route' || first.startsWith('/'))
      [prefix, columns, shared] = [first === 'route' ? '' : first, rest, {}]
    else {
      const route = `${first} ${prefix}${second}`
      const own = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
      const row = { method: first, path: prefix + second, route }
      rows.set(route, { ...row, cells: { ...rows.get(route)?.cells, ...shared, ...own } })
    }
  }
  return [...rows.values()]
}

/** Those that the route needs. */
export function permissionsOf({ cells }: Row): bigint {
  const names = (cells.permission ?? 'none').split(',')
  return names.reduce((bits, name) => bits | (Permission[name as PermissionName] ?? 0n), 0n)
}

const notCallers = ['permission', 'scope', 'rates', 'limit', 'cross-site']

/** The columns of callers and their statuses, without empty cells. `anyone` is each kind of credential. */
export function callersOf({ cells }: Row): [caller: string, status: string][] {
  return Object.entries(cells).flatMap(([column, cell]): [string, string][] => {
    if (cell === '-' || notCallers.includes(column)) return []
    return (column === 'anyone' ? ['user', 'bot', 'app', 'anon'] : [column]).map(caller => [caller, cell])
  })
}

/** A bot may not edit the message of the owner, but messages of its own. */
export const isEdit = ({ route }: Row) => route === 'PATCH /api/channels/:id/messages/:messageId'

/** Its errors have other codes. */
export const isDiscord = ({ path }: Pick<Row, 'path'>) => path.startsWith('/api/v10/')

export interface Caller {
  client: TestClient
  headers: Readonly<Record<string, string>>
}

/** The credentials of a column. A sign-in, registration or logout ends the session, so it has one of its own. */
export async function callerOf(world: World, { path }: Pick<Row, 'path'>, column: string): Promise<Caller> {
  const { service, users, bots, accessToken } = world
  const anyone = service.client()
  const bot = column in bots ? bots[column as keyof World['bots']] : undefined
  if (bot) return { client: anyone, headers: { authorization: `Bot ${bot.token}` } }
  if (column === 'app') return { client: anyone, headers: { authorization: `Bearer ${accessToken}` } }
  const user = column === 'user' ? users.other : users[column as keyof World['users']]
  if (user === undefined) return { client: anyone, headers: {} }
  const endsSession = /\/(register|login|logout|confirm)$/.test(path)
  return { client: endsSession ? await signIn(service, user) : user.client, headers: {} }
}

/** A request with its encoded body. */
interface EncodedRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Buffer
}

export async function encodeRequest(
  world: World,
  { method, path }: Pick<Row, 'method' | 'path'>,
  caller: Caller,
  given: Parts,
): Promise<EncodedRequest> {
  const parts = await completeForm(caller, given)
  const query = parts.query === undefined ? '' : `?${new URLSearchParams(parts.query)}`
  const url = fillPath(world, path, parts.params) + query
  const headers = { ...parts.headers, ...caller.headers }
  const [type, body] = method === 'GET' ? [] : encodeBody(parts)
  if (type === undefined || body === undefined) return { url, headers }
  return { url, headers: { ...headers, 'content-type': type }, body }
}

export async function send(
  world: World,
  row: Pick<Row, 'method' | 'path'>,
  caller: Caller,
  parts: Parts,
): Promise<TestResponse> {
  const { url, ...init } = await encodeRequest(world, row, caller, parts)
  return caller.client.send(url, { method: row.method, ...init })
}

/** Adds the hidden fields of the page with the form. */
export async function completeForm({ client }: Caller, parts: Parts): Promise<Parts> {
  if (parts.page === undefined) return parts
  const { text } = await client.get(parts.page)
  const hidden = [...text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return { ...parts, form: { ...Object.fromEntries(hidden.map(([, ...field]) => field)), ...parts.form } }
}

function encodeBody({ body, form }: Parts): [string?, (string | Buffer)?] {
  if (form) {
    const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return ['application/x-www-form-urlencoded', String(new URLSearchParams(given))]
  }
  if (body instanceof Uint8Array) return ['image/png', Buffer.from(body)]
  return body === undefined ? [] : ['application/json', JSON.stringify(body)]
}

/** Replaces the parameters of a path, by default with ids of the world. */
export function fillPath(world: World, path: string, params: Readonly<Record<string, string>> = {}): string {
  const { serverId, channelId, commandId, bots, users } = world
  const [, , collection = ''] = path.split('/')
  const ids: Record<string, string> = {
    id: { channels: channelId, applications: bots.bot.applicationId }[collection] ?? serverId,
    ...{ serverId, guildId: serverId, channelId, commandId, userId: users.target.id },
    ...params,
  }
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'unknown'))
}
