import type { CommandOverride, CommandOverrides, ServerCommand } from '@gatehouse/protocol/commands'
import { maxServerCommandOverrides } from '@gatehouse/protocol/limits'
import { has, Permission, permissionFor } from '@gatehouse/protocol/permissions'
import { type Actor, changesOf } from '../audit/index.ts'
import { findManageableTarget } from '../community/channels/index.ts'
import {
  listVisibleChannelIds,
  lockServerRow,
  requireServer,
  type ServerAccess,
} from '../community/permissions/index.ts'
import { AppError, type FieldError, invalidAll, notFound } from '../errors/app-error.ts'
import { limitReached } from '../i18n/localized-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import * as store from './command-permission-store.ts'
import {
  type CommandRecord,
  listServerCommands,
  readServerCommands,
  type ServerCommandRecord,
} from './command-store.ts'
import { toRegisteredCommand } from './commands.ts'

/** A member who wants to use a command. */
export interface CommandUser {
  userId: string
  serverId: string
  /** Undefined for the server as a whole: overrides of channels do not apply. */
  channelId: string | undefined
  /** In the channel. */
  permissions: bigint
  /** Without @everyone. */
  roleIds: readonly string[]
}

/**
 * The order of docs/spec/bots.md, as in Discord. Administrators may use every command. The override of the channel, or
 * else of all channels, must not deny. Then the first of these decides that exists: the override of the member, those
 * of their roles, of which one must allow, that of @everyone, the default permissions (bots/command-overrides,
 * bots/default-permissions).
 */
export function mayUseCommand(
  { userId, serverId, channelId, permissions, roleIds }: CommandUser,
  { defaultMemberPermissions }: Pick<CommandRecord, 'defaultMemberPermissions'>,
  overrides: readonly CommandOverride[],
): boolean {
  if (has(permissions, Permission.ADMINISTRATOR)) return true
  if (overrides.length > 0) {
    const find = (type: CommandOverride['type'], id: string) =>
      overrides.find(override => override.type === type && override.id === id)?.allow
    const inChannel =
      channelId === undefined || (find('channel', channelId) ?? find('channel', serverId) ?? true)
    if (!inChannel) return false
    const ofRoles = overrides.filter(({ type, id }) => type === 'role' && roleIds.includes(id))
    const allow =
      find('user', userId) ??
      (ofRoles.length > 0 ? ofRoles.some(override => override.allow) : find('role', serverId))
    if (allow !== undefined) return allow
  }
  if (defaultMemberPermissions === null) return true
  const required = BigInt(defaultMemberPermissions)
  return required !== 0n && has(permissions, required)
}

export type CommandPermissions = ReturnType<typeof createCommandPermissions>

export function createCommandPermissions({ db, clock, events, auditLog }: Deps) {
  return {
    /** By name. Requires MANAGE_SERVER, because overrides name channels that other members may not view. */
    async list(callerId: string, serverId: string): Promise<ServerCommand[]> {
      await requireServer(db, clock(), callerId, serverId, permissionFor.manageBots)
      const commands = await listServerCommands(db, serverId)
      return (await readServerCommands(db, commands)).map(toServerCommand)
    },

    /**
     * Replaces the overrides of a command. Requires MANAGE_SERVER. 403 if the caller may not use the command, apart
     * from the channel, and if an override changes of a role or member above the caller
     * (bots/command-overrides-hierarchy).
     */
    replace(
      actor: Actor,
      serverId: string,
      commandId: string,
      overrides: CommandOverrides,
    ): Promise<ServerCommand> {
      return db.transaction(async tx => {
        const now = clock()
        const access = await requireServer(tx, now, actor.userId, serverId, permissionFor.manageBots)
        await lockServerRow(tx, serverId)
        const heads = await listServerCommands(tx, serverId)
        const [command] = await readServerCommands(
          tx,
          heads.filter(({ id }) => id === commandId),
        )
        if (command === undefined) throw notFound()
        const caller = {
          userId: actor.userId,
          serverId,
          channelId: undefined,
          permissions: access.permissions,
          roleIds: access.member.roles,
        }
        if (!mayUseCommand(caller, command, command.overrides)) {
          const message = 'You can change the overrides only of a command that you may use yourself.'
          throw new AppError('missing_permission', message)
        }
        await checkOverrides(tx, now, access, command.overrides, overrides)
        const others = await store.countOverridesOfOthers(tx, serverId, commandId)
        if (others + overrides.length > maxServerCommandOverrides) throw limitReached('commandOverrides')
        await store.replaceOverrides(tx, serverId, command, overrides)
        const target = { type: 'command', id: commandId, name: command.name } as const
        const before = { overrides: listOthers(command.overrides, overrides) }
        const after = { overrides: listOthers(overrides, command.overrides) }
        const changes = changesOf(['overrides'], before, after)
        await auditLog.record(tx, { serverId, actor, action: 'COMMAND_PERMISSION_UPDATE', target, changes })
        if (changes.length > 0)
          tx.afterCommit(() => events.toServer(serverId, { t: 'COMMANDS_UPDATE', d: { serverId } }))
        return toServerCommand({ ...command, overrides })
      })
    },
  }
}

function toServerCommand({ application: _, overrides, ...command }: ServerCommandRecord): ServerCommand {
  return { ...toRegisteredCommand(command), overrides }
}

/** Those that are not in `others`. */
function listOthers(overrides: readonly CommandOverride[], others: readonly CommandOverride[]) {
  return overrides.filter(
    ({ type, id, allow }) =>
      !others.some(other => other.type === type && other.id === id && other.allow === allow),
  )
}

/** Throws 400 for a duplicate and an unknown id, 403 for a change that is above the caller. */
async function checkOverrides(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  before: readonly CommandOverride[],
  after: readonly CommandOverride[],
): Promise<void> {
  const keyOf = ({ type, id }: CommandOverride) => `${type} ${id}`
  const stored = new Map(before.map(override => [keyOf(override), override]))
  const given = new Map(after.map(override => [keyOf(override), override]))
  const { userId } = access.member
  const serverId = access.server.id
  const isNewChannel = (override: CommandOverride) =>
    override.type === 'channel' && override.id !== serverId && !stored.has(keyOf(override))
  const visibleIds = after.some(isNewChannel) ? await listVisibleChannelIds(tx, userId, serverId) : []
  /** Also of an override that is removed. False if the target does not exist. Throws 403 if it is above the caller. */
  const checkTarget = async ({ type, id }: CommandOverride) =>
    type === 'channel' ||
    findManageableTarget(tx, now, access, { targetId: id, type: type === 'user' ? 'member' : type })
  const isChanged = (override: CommandOverride, others: typeof stored) =>
    others.get(keyOf(override))?.allow !== override.allow
  await Promise.all(before.filter(override => isChanged(override, given)).map(checkTarget))
  const errors = await Promise.all(
    after.map(async (override, index): Promise<FieldError | undefined> => {
      const path = `[${index}].id`
      if (after.findIndex(other => keyOf(other) === keyOf(override)) < index) {
        return { path, code: 'duplicate', message: 'must differ from every other id of this type' }
      }
      const isKnown = isNewChannel(override)
        ? visibleIds.includes(override.id)
        : !isChanged(override, stored) || (await checkTarget(override))
      return isKnown ? undefined : { path, ...unknownIds[override.type] }
    }),
  )
  const found = errors.filter(error => error !== undefined)
  if (found.length > 0) throw invalidAll(found)
}

const unknownIds = {
  role: { code: 'unknown_role', message: 'must be a role of this server' },
  user: { code: 'unknown_user', message: 'must be a member of this server' },
  channel: { code: 'unknown_channel', message: 'must be a channel of this server that you may view' },
} as const
