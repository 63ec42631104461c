import { allRequests } from './rate-limits.ts'
import type { NewMessage, Resources } from './resources.ts'
import type { Rest, RestRequest } from './rest.ts'

/** The method and the path of the service's route; `204` if its response has no body. */
export type Endpoint = `${RestRequest['method']} /api/${string}`

/** `endpoints.test.ts` compares them with the routes of the service. */
export const endpoints: {
  readonly [Group in keyof Resources]: { readonly [Name in keyof Resources[Group]]: Endpoint }
} = {
  users: { me: 'GET /api/users/@me' },
  servers: {
    list: 'GET /api/users/@me/servers',
    get: 'GET /api/servers/:id',
    update: 'PATCH /api/servers/:id',
    setIcon: 'PUT /api/servers/:id/icon',
    deleteIcon: 'DELETE /api/servers/:id/icon',
    integrations: 'GET /api/servers/:id/integrations',
  },
  channels: {
    list: 'GET /api/servers/:id/channels',
    create: 'POST /api/servers/:id/channels',
    get: 'GET /api/channels/:id',
    update: 'PATCH /api/channels/:id',
    delete: 'DELETE /api/channels/:id 204',
    putOverwrite: 'PUT /api/channels/:id/overwrites/:targetId 204',
    deleteOverwrite: 'DELETE /api/channels/:id/overwrites/:targetId 204',
  },
  directMessages: {
    list: 'GET /api/users/@me/channels',
    open: 'POST /api/users/@me/channels',
  },
  messages: {
    list: 'GET /api/channels/:id/messages',
    create: 'POST /api/channels/:id/messages',
    get: 'GET /api/channels/:id/messages/:messageId',
    update: 'PATCH /api/channels/:id/messages/:messageId',
    delete: 'DELETE /api/channels/:id/messages/:messageId 204',
  },
  roles: {
    list: 'GET /api/servers/:id/roles',
    create: 'POST /api/servers/:id/roles',
    update: 'PATCH /api/servers/:id/roles/:roleId',
    delete: 'DELETE /api/servers/:id/roles/:roleId 204',
  },
  members: {
    list: 'GET /api/servers/:id/members',
    get: 'GET /api/servers/:id/members/:userId',
    update: 'PATCH /api/servers/:id/members/:userId',
    remove: 'DELETE /api/servers/:id/members/:userId 204',
    addRole: 'PUT /api/servers/:id/members/:userId/roles/:roleId 204',
    removeRole: 'DELETE /api/servers/:id/members/:userId/roles/:roleId 204',
  },
  commandPermissions: {
    list: 'GET /api/servers/:id/commands/permissions',
    replace: 'PUT /api/servers/:id/commands/:commandId/permissions',
  },
  bans: {
    list: 'GET /api/servers/:id/bans',
    get: 'GET /api/servers/:id/bans/:userId',
    create: 'PUT /api/servers/:id/bans/:userId 204',
    delete: 'DELETE /api/servers/:id/bans/:userId 204',
  },
  invites: {
    list: 'GET /api/servers/:id/invites',
    create: 'POST /api/servers/:id/invites',
    get: 'GET /api/invites/:code',
    revoke: 'DELETE /api/invites/:code 204',
  },
  webhooks: {
    list: 'GET /api/channels/:channelId/webhooks',
    create: 'POST /api/channels/:channelId/webhooks',
    update: 'PATCH /api/channels/:channelId/webhooks/:id',
    delete: 'DELETE /api/channels/:channelId/webhooks/:id 204',
    resetToken: 'POST /api/channels/:channelId/webhooks/:id/token',
    deliveries: 'GET /api/channels/:channelId/webhooks/:id/deliveries',
  },
  gateway: { get: 'GET /api/gateway/bot' },
}

/** The routes with a rate of their own (limits/rates). That of messages is one for each channel. */
export const ownRates: Readonly<Partial<Record<Endpoint, string>>> = {
  'PUT /api/servers/:id/icon': 'images',
  'POST /api/servers/:id/channels': 'channels',
  'POST /api/users/@me/channels': 'channels',
  'POST /api/channels/:id/messages': 'channelMessages',
  'POST /api/servers/:id/roles': 'roles',
  'POST /api/servers/:id/invites': 'invites',
  'POST /api/channels/:channelId/webhooks': 'webhooks',
}

/** The functions of all endpoints. `call` gets the name, `bans.create`, the endpoint, and the arguments. */
export function createResources(
  call: (name: string, endpoint: Endpoint, args: readonly unknown[]) => Promise<unknown>,
): Resources {
  const groups = Object.entries(endpoints).map(([group, routes]: [string, Record<string, Endpoint>]) => {
    const functions = Object.entries(routes).map(([name, endpoint]) => [
      name,
      (...args: unknown[]) => call(`${group}.${name}`, endpoint, args),
    ])
    return [group, Object.fromEntries(functions)]
  })
  // The table has the groups and names of `Resources`; the types of the arguments and results follow from the API.
  return Object.fromEntries(groups) as Resources
}

/** Calls an endpoint of the service: the first arguments are the parameters of the path, the next one is the query or the body. */
export async function callEndpoint(
  rest: Rest,
  endpoint: Endpoint,
  args: readonly unknown[],
): Promise<unknown> {
  const [method, pattern = ''] = endpoint.split(' ') as [RestRequest['method'], string]
  const given = [...args]
  const path = pattern.replaceAll(/:\w+/g, () => encodeURIComponent(String(given.shift())))
  const [data] = given
  const rate = ownRates[endpoint]
  const request = {
    method,
    name: `${method} ${pattern}`,
    buckets: [
      ...(rate === undefined ? [] : [`${rate} ${rate === 'channelMessages' ? args[0] : ''}`]),
      allRequests,
    ],
  }
  if (method === 'GET' || method === 'DELETE')
    return (await rest({ ...request, path: path + toQuery(data) })).body
  if (endpoint !== endpoints.messages.create)
    return (await rest({ ...request, path, body: toBody(data) })).body
  // With a nonce, a message whose response was lost can be sent again.
  const message: NewMessage = toBody(data) ?? {}
  const body = { ...message, nonce: message.nonce ?? crypto.randomUUID() }
  return (await rest({ ...request, path, body, idempotent: true })).body
}

function toQuery(query: unknown): string {
  const values = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return values.length === 0 ? '' : `?${new URLSearchParams(values)}`
}

/** A string is a message. */
function toBody(data: unknown): object | undefined {
  return typeof data === 'string' ? { content: data } : (data as object | undefined)
}
