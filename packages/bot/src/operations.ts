import { auditReasonHeader } from '@gatehouse/protocol/audit-log'
import type { ResponseOf } from '@gatehouse/protocol/endpoint-types'
import { endpointOf, type OperationId, requestLine } from '@gatehouse/protocol/endpoints'
import { allRequests } from './rate-limits.ts'
import type { NewMessage, Resources } from './resources.ts'
import type { Rest, RestRequest } from './rest.ts'

/** The members of a type: those of messages have narrower types for a bot. */
type Shape<Type> = Type extends readonly (infer Item)[] ? Shape<Item>[] : { [Name in keyof Type]: unknown }

/** The operations whose response has the members of `Result`. `204` follows the id of those without a body. */
type Operation<Result> = {
  [Id in OperationId]: [ResponseOf<Id>] extends [undefined]
    ? Result extends void
      ? `${Id} 204`
      : never
    : [ResponseOf<Id>] extends [Shape<Result>]
      ? Id
      : never
}[OperationId]

type OperationOf<Function> = Function extends (...args: never) => Promise<infer Result>
  ? Operation<Result>
  : never

/** `operations.test.ts` compares them with the routes of the service. */
export const operations: {
  readonly [Group in keyof Resources]: {
    readonly [Name in keyof Resources[Group]]: OperationOf<Resources[Group][Name]>
  }
} = {
  users: { me: 'getCurrentUser' },
  application: { update: 'updateOwnApplication' },
  auditLog: { list: 'listAuditLog' },
  reports: { list: 'listReports', update: 'updateReport' },
  servers: {
    list: 'listCurrentUserServers',
    get: 'getServer',
    update: 'updateServer',
    setIcon: 'setServerIcon',
    deleteIcon: 'deleteServerIcon',
    integrations: 'listIntegrations',
  },
  channels: {
    list: 'listChannels',
    create: 'createChannel',
    move: 'moveChannels 204',
    get: 'getChannel',
    update: 'updateChannel',
    delete: 'deleteChannel 204',
    putOverwrite: 'putOverwrite 204',
    deleteOverwrite: 'deleteOverwrite 204',
  },
  directMessages: { list: 'listDirectMessages', open: 'openDirectMessage' },
  messages: {
    list: 'listMessages',
    create: 'createMessage',
    get: 'getMessage',
    update: 'updateMessage',
    delete: 'deleteMessage 204',
  },
  roles: {
    list: 'listRoles',
    create: 'createRole',
    move: 'moveRoles',
    update: 'updateRole',
    delete: 'deleteRole 204',
  },
  members: {
    list: 'listMembers',
    get: 'getMember',
    update: 'updateMember',
    remove: 'removeMember 204',
    addRole: 'addMemberRole 204',
    removeRole: 'removeMemberRole 204',
  },
  commandPermissions: { list: 'listServerCommandPermissions', replace: 'replaceServerCommandPermissions' },
  bans: {
    list: 'listBans',
    get: 'getBan',
    create: 'createBan 204',
    createMany: 'createBans',
    delete: 'deleteBan 204',
  },
  invites: { list: 'listInvites', create: 'createInvite', get: 'getInvite', revoke: 'revokeInvite 204' },
  webhooks: {
    list: 'listWebhooks',
    listOfServer: 'listServerWebhooks',
    create: 'createWebhook',
    update: 'updateWebhook',
    delete: 'deleteWebhook 204',
    resetToken: 'resetWebhookToken',
    deliveries: 'listDeliveries',
  },
  gateway: { get: 'getBotGateway' },
}

/** The operations with a rate of their own (limits/rates). That of messages is one for each channel. */
export const ownRates: Readonly<Partial<Record<OperationId, string>>> = {
  updateServer: 'images',
  setServerIcon: 'images',
  updateOwnApplication: 'selfDescriptions',
  createChannel: 'channels',
  moveChannels: 'channelMoves',
  openDirectMessage: 'channels',
  createMessage: 'channelMessages',
  createRole: 'roles',
  createInvite: 'invites',
  createWebhook: 'webhooks',
  updateWebhook: 'images',
}

/** The functions of all operations. `call` gets the name, `bans.create`, the operation, and the arguments. */
export function createResources(
  call: (name: string, operation: string, args: readonly unknown[]) => Promise<unknown>,
): Resources {
  const groups = Object.entries(operations).map(([group, named]: [string, Record<string, string>]) => {
    const functions = Object.entries(named).map(([name, operation]) => [
      name,
      async (...args: unknown[]) => {
        checkArguments(`api.${group}.${name}`, pathParameters(operation), args)
        return call(`${group}.${name}`, operation, args)
      },
    ])
    return [group, Object.fromEntries(functions)]
  })
  // The table has the groups and names of `Resources`; the types of the arguments and results follow from the API.
  return Object.fromEntries(groups) as Resources
}

export const mustBeObject = "must be an object, such as { content: 'Hello' }."

/** The names of the ids in the path, which are the first arguments. */
function pathParameters(operation: string): string[] {
  const { path } = endpointOf(idOf(operation))
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}

function idOf(operation: string): OperationId {
  return operation.split(' ')[0] as OperationId
}

/** A text in the place of an id would be a request for something else. */
function checkArguments(name: string, ids: readonly string[], args: readonly unknown[]): void {
  for (const index of ids.keys()) {
    if (typeof args[index] !== 'string') throw new TypeError(`${name}: argument ${index + 1} must be an id.`)
  }
  const data = args[ids.length]
  if (data !== undefined && typeof data !== 'object') {
    throw new TypeError(`${name}: argument ${ids.length + 1} ${mustBeObject}`)
  }
}

/**
 * Calls an operation of the service: the first arguments are the parameters of the path, the next one is the query or
 * the body. `reason` is for the audit log.
 */
export async function callOperation(
  rest: Rest,
  operation: string,
  args: readonly unknown[],
  reason?: string,
): Promise<unknown> {
  const id = idOf(operation)
  const { method, path: pattern } = endpointOf(id)
  const names = pathParameters(operation)
  const parameters = Object.fromEntries(names.map((name, index) => [name, args[index]]))
  const data = args[names.length]
  const hasQuery = method === 'GET' || method === 'DELETE'
  const rate = ownRates[id]
  const request: RestRequest = {
    ...requestLine(id, { ...parameters, ...(hasQuery && { query: data }) } as never),
    name: `${method} ${pattern}`,
    buckets: [
      ...(rate === undefined ? [] : [`${rate} ${rate === 'channelMessages' ? args[0] : ''}`]),
      allRequests,
    ],
    ...(reason === undefined ? {} : { headers: { [auditReasonHeader]: encodeURIComponent(reason) } }),
  }
  if (hasQuery) return (await rest(request)).body
  if (id !== 'createMessage') return (await rest({ ...request, body: data })).body
  // With a nonce, a message whose response was lost can be sent again.
  const message = (data ?? {}) as NewMessage
  const body = { ...message, nonce: message.nonce ?? crypto.randomUUID() }
  return (await rest({ ...request, body, idempotent: true })).body
}
