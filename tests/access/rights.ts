import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import type { LateBody } from '@gatehouse/testkit/late-body'
import type { Caller, Parts, Row } from './access.ts'
import type { World } from './world.ts'

/** A request of which the service has the headers and the beginning of the body. */
export interface Waiting {
  row: Row
  parts: Parts
  expected: string
  body: LateBody
}

/** A right that the caller has while the body is not complete. */
export interface Right {
  name: string
  /** The column of the callers. */
  column: string
  /** What the service responds without the right: a cell of the table. Undefined if the route does not need it. */
  refusal(row: Row): string | undefined
  end(world: World, waiting: readonly Waiting[], caller: Caller): Promise<unknown>
  /** For the next right. */
  restore?(world: World): Promise<unknown>
}

/** Whether the caller reaches what the request is about. */
const isAdmitted = (cell = '-') => !['-', '401', '403'].includes(cell)
const isError = (cell = '-') => !isAdmitted(cell) || cell === '404'
const starts = (prefix: string) => (row: Row) => row.path.startsWith(prefix)
const isDiscordResponse = (row: Row) =>
  starts('/api/v10/interactions/')(row) || starts('/api/v10/webhooks/:applicationId/')(row)
/** Whether the permission of the route decides about the callers of the column. */
const mayUse = ({ cells }: Row, column: string) =>
  (cells.permission ?? 'none') !== 'none' && !isError(cells[column])
/** Everyone with the roles of the table has these. */
const needsBasics = ({ cells: { permission = '' } }: Row) =>
  permission === 'VIEW_CHANNEL' || permission === 'SEND_MESSAGES'

export const allPermissions =
  Object.values(Permission).reduce((set, bit) => set | bit, 0n) & ~Permission.ADMINISTRATOR

const asOwner = ({ users }: World, method: string, path: string, body?: object) =>
  users.owner.client.request(method, path, body)
const asOperator = ({ users }: World, path: string, body: object) =>
  users.operator.client.request('PATCH', `/api/admin${path}`, body)

function changeHolders(method: string) {
  return async (world: World) => {
    const { holders, users, bots, serverId } = world
    for (const [index, id] of [users.with.id, bots.bot.botId].entries())
      await asOwner(world, method, `/api/servers/${serverId}/members/${id}/roles/${holders[index]}`)
  }
}

const endsSession = (column: string): Right => ({
  name: `the session of ${column} has ended`,
  column,
  refusal: ({ cells }) => {
    const isOwn = cells.operator === undefined || column === 'operator'
    return cells.anon === '401' && isOwn && isAdmitted(cells[column]) ? '401' : undefined
  },
  end: (_, __, { client }) => client.request('POST', '/api/auth/logout'),
})

const losesPermission = (column: string, without: string): Right => ({
  name: `${column} has lost a permission`,
  column,
  refusal: row => {
    if (!mayUse(row, column) || needsBasics(row)) return undefined
    // One of several permissions is enough for this route, so the table has no caller without it.
    return row.cells[without] === '-' ? '403' : row.cells[without]
  },
  end: ({ setPermission }) => setPermission(0n),
  restore: ({ setPermission }) => setPermission(allPermissions),
})

const losesRole = (column: string): Right => ({
  name: `${column} has lost the role`,
  column,
  refusal: row => (needsBasics(row) && mayUse(row, column) ? '404' : undefined),
  end: changeHolders('DELETE'),
  restore: changeHolders('PUT'),
})

/** A bot, or who responds to an interaction with the token of Discord's format. */
const ofBot = (
  name: string,
  concerns: (row: Row) => boolean,
  { end, restore }: Required<Pick<Right, 'end' | 'restore'>>,
): Right[] => [
  {
    name: `${name}, with Authorization`,
    column: 'bot',
    refusal: row => (concerns(row) && isAdmitted(row.cells.bot) ? '401' : undefined),
    end,
    restore,
  },
  {
    name: `${name}, with the token of an interaction`,
    column: 'right',
    refusal: row => (isDiscordResponse(row) ? row.cells.wrong : undefined),
    end,
    restore,
  },
]

const leavesServer = (column: string, refusal: Right['refusal']): Right => ({
  name: `${column}: the bot or member is removed from the server`,
  column,
  refusal,
  async end(world) {
    const { users, bots, serverId } = world
    const id = column === 'with' ? users.with.id : bots.bot.botId
    await asOwner(world, 'DELETE', `/api/servers/${serverId}/members/${id}`)
  },
  async restore({ users, bots, serverId }) {
    if (column !== 'with') await addBot(users.owner.client, bots.bot.applicationId, serverId, allPermissions)
  },
})

const endsWebhook = (name: string, method: string, suffix: string): Right => ({
  name,
  column: 'right',
  refusal: row => (starts('/api/webhooks/')(row) ? row.cells.wrong : undefined),
  async end(world, waiting) {
    for (const { parts } of waiting)
      await asOwner(
        world,
        method,
        `/api/channels/${parts.params?.channelId}/webhooks/${parts.params?.id}${suffix}`,
      )
  },
})

/** Every right that a route needs. */
export const rights: readonly Right[] = [
  ...['user', 'owner', 'operator'].map(endsSession),
  {
    ...endsSession('user'),
    name: 'the user is disabled',
    end: world => asOperator(world, `/users/${world.users.other.id}`, { disabled: true }),
    restore: world => asOperator(world, `/users/${world.users.other.id}`, { disabled: false }),
  },
  {
    ...endsSession('user'),
    name: 'the session at the consent page has ended',
    // To the page of the sign-in.
    refusal: ({ path }) => (path === '/oauth2/consent' ? '303' : undefined),
  },
  {
    name: 'the administrator is demoted',
    column: 'operator',
    refusal: row => (starts('/api/admin/')(row) ? row.cells.user : undefined),
    end: ({ service, users }) =>
      service.db.run`UPDATE users SET administrator = 0 WHERE id = ${users.operator.id}`,
    restore: ({ service, users }) =>
      service.db.run`UPDATE users SET administrator = 1 WHERE id = ${users.operator.id}`,
  },
  losesPermission('with', 'w/o'),
  losesPermission('bot', 'bot-'),
  losesRole('with'),
  losesRole('bot'),
  {
    name: 'the server has another owner',
    column: 'owner',
    refusal: row => {
      const { owner, admin } = row.cells
      return starts('/api/servers/')(row) && !isError(owner) && isError(admin) ? admin : undefined
    },
    end: ({ service, users }) =>
      service.db.run`UPDATE servers SET owner_id = ${users.admin.id} WHERE owner_id = ${users.owner.id}`,
    restore: ({ service, users }) =>
      service.db.run`UPDATE servers SET owner_id = ${users.owner.id} WHERE owner_id = ${users.admin.id}`,
  },
  {
    name: 'the application has another owner',
    column: 'owner',
    refusal: row => (starts('/api/applications/:id')(row) ? row.cells.other : undefined),
    async end(world, waiting) {
      for (const { parts } of waiting) {
        const { id = world.bots.bot.applicationId } = parts.params ?? {}
        await asOperator(world, `/applications/${id}`, { owner: world.users.other.id })
      }
    },
    restore: world =>
      asOperator(world, `/applications/${world.bots.bot.applicationId}`, { owner: world.users.owner.id }),
  },
  ...ofBot('the application is disabled', () => true, {
    end: world => asOperator(world, `/applications/${world.bots.bot.applicationId}`, { disabled: true }),
    restore: world => asOperator(world, `/applications/${world.bots.bot.applicationId}`, { disabled: false }),
  }),
  ...ofBot('the bot token was reset', starts('/api/interactions/:id/:token'), {
    async end(world) {
      const { applicationId } = world.bots.bot
      await world.service.db.run`
        UPDATE applications SET bot_token_hash = 'reset ' || bot_token_hash WHERE id = ${applicationId}`
    },
    async restore(world) {
      const { applicationId } = world.bots.bot
      await world.service.db.run`
        UPDATE applications SET bot_token_hash = substr(bot_token_hash, 7) WHERE id = ${applicationId}`
    },
  }),
  endsWebhook('the token of the webhook was reset', 'POST', '/token'),
  endsWebhook('the webhook is deleted', 'DELETE', ''),
  {
    name: 'the access token was revoked',
    column: 'right',
    refusal: row => (starts('/api/oauth2/userinfo')(row) ? row.cells.wrong : undefined),
    end: async ({ service, application, accessToken }) => {
      const client = { client_id: application.id, client_secret: application.secret ?? '' }
      const reply = await service.client().form('/api/oauth2/token/revoke', { token: accessToken, ...client })
      assert.equal(reply.status, 200, reply.text)
    },
  },
  {
    name: 'the client secret was reset',
    column: 'right',
    refusal: ({ path, cells }) =>
      /^\/api\/oauth2\/(token|introspect)$/.test(path) ? cells.wrong : undefined,
    end: world => asOwner(world, 'POST', `/api/applications/${world.application.id}/secret`),
  },
  leavesServer('bot', row => {
    if (starts('/api/interactions/:id/:token')(row)) return '404'
    return mayUse(row, 'bot') ? (row.cells['other-bot'] ?? row.cells.left) : undefined
  }),
  leavesServer('right', row => (isDiscordResponse(row) ? row.cells.wrong : undefined)),
  leavesServer('with', row => (mayUse(row, 'with') ? row.cells.left : undefined)),
  {
    name: 'an administrator of the server is banned',
    column: 'admin',
    refusal: row => (mayUse(row, 'admin') ? row.cells.ban : undefined),
    end: world => asOwner(world, 'PUT', `/api/servers/${world.serverId}/bans/${world.users.admin.id}`, {}),
  },
]
