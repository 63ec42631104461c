import {
  type Command,
  checkCommands,
  findDuplicateCommands,
  findExceededType,
  type RegisteredCommand,
} from '@gatehouse/protocol/commands'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import {
  maxBodyBytes,
  maxCommands,
  maxMessageCommands,
  maxNotRegistered,
  maxUserCommands,
} from '@gatehouse/protocol/limits'
import { AppError, invalidAll, notFound } from '../errors/app-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import { lockApplication } from './application-store.ts'
import { ownApplication } from './applications.ts'
import * as store from './command-store.ts'
import { findIntegration, listServersOfApplication } from './integration-store.ts'

export type Commands = ReturnType<typeof createCommands>

/** `serverId` is null for the global set. */
export interface CommandSet {
  applicationId: string
  serverId: string | null
}

export function createCommands({ db, clock, ids, events, rateLimiter }: Deps) {
  /**
   * A command whose id is given, or else whose type and name remain, keeps its id and, if nothing else changes,
   * `updatedAt`. `changed`: something was stored.
   */
  async function replaceSet(
    tx: Transaction,
    { applicationId, serverId }: CommandSet,
    before: readonly store.CommandRecord[],
    commands: readonly (Command & { id?: string })[],
  ): Promise<{ records: store.CommandRecord[]; changed: boolean }> {
    const now = clock()
    const byKey = new Map(before.map(command => [toKey(command), command]))
    const records = commands.map((command): store.CommandRecord => {
      const existing = before.find(({ id }) => id === command.id) ?? byKey.get(toKey(command))
      return {
        ...command,
        id: existing?.id ?? ids(),
        applicationId,
        serverId,
        createdAt: existing?.createdAt ?? now,
        updatedAt: existing && isEqual(existing, command) ? existing.updatedAt : now,
      }
    })
    const kept = new Set(records.map(({ id }) => id))
    const deleted = before.filter(({ id }) => !kept.has(id))
    for (const { id } of deleted) await store.markDeleted(tx, id, now)
    let changed = deleted.length > 0
    for (const [position, record] of records.entries()) {
      const same = before[position]
      // An unchanged row has the position of its index.
      if (same?.id === record.id && isEqual(same, record)) continue
      await store.upsertCommand(tx, record, position)
      changed = true
    }
    return { records, changed }
  }

  /**
   * Changes one set in a transaction. `change` gets the set, and returns all of the new one. Throws 404. If the set
   * changes, all servers with it are told, of which each after the first counts as a request of the bot
   * (limits/caused-changes).
   */
  async function changeSet(
    set: CommandSet,
    change: (before: readonly store.CommandRecord[]) => readonly (Command & { id?: string })[],
    leftOut?: readonly store.LeftOut[],
  ): Promise<store.CommandRecord[]> {
    const { applicationId, serverId } = set
    return db.transaction(async tx => {
      // The row lock orders concurrent requests, so that each is complete.
      const application = await lockApplication(tx, applicationId)
      if (!application) throw notFound()
      if (serverId !== null && !(await findIntegration(tx, serverId, applicationId))) throw notFound()
      if (leftOut)
        await store.setNotRegistered(tx, applicationId, serverId, leftOut.slice(0, maxNotRegistered))
      const before = await store.listCommands(tx, applicationId, serverId)
      const { records, changed } = await replaceSet(tx, set, before, change(before))
      if (!changed) return records
      const serverIds = serverId === null ? await listServersOfApplication(tx, applicationId) : [serverId]
      tx.afterCommit(() => {
        for (const id of serverIds) events.toServer(id, { t: 'COMMANDS_UPDATE', d: { serverId: id } })
        rateLimiter.addRequests(application.botUserId ?? '', Math.max(0, serverIds.length - 1))
      })
      return records
    })
  }

  return {
    /** Throws 404 for a server without this application. */
    async list(applicationId: string, serverId: string | null): Promise<RegisteredCommand[]> {
      if (serverId !== null && !(await findIntegration(db, serverId, applicationId))) throw notFound()
      return (await store.listCommands(db, applicationId, serverId)).map(toRegisteredCommand)
    },

    /** All sets, the global one first. Throws 404 unless the user owns the application. */
    async listAll(ownerId: string, applicationId: string): Promise<RegisteredCommand[]> {
      await ownApplication(db, ownerId, applicationId)
      return (await store.listCommandsOfApplication(db, applicationId)).map(toRegisteredCommand)
    },

    /**
     * Replaces one set (bots/server-commands, bots/command-set). Throws 400 `command_limit`, or `validation_failed`
     * with paths such as `[3].options[1].name`; then nothing changes. The console names `leftOut`, which
     * the bot sent beside `input`.
     */
    async replace(
      applicationId: string,
      serverId: string | null,
      input: unknown,
      leftOut: readonly store.LeftOut[] = [],
    ): Promise<RegisteredCommand[]> {
      const commands = parseCommands(input)
      const records = await changeSet({ applicationId, serverId }, () => commands, leftOut)
      return records.map(toRegisteredCommand)
    },

    /**
     * Adds a command to a set, or replaces the one of its type and name. Throws as `replace`, with paths such as
     * `options[1].name`.
     */
    async put(set: CommandSet, input: unknown): Promise<RegisteredCommand> {
      const command = parseCommand(input)
      const isSame = (other: Command) => toKey(other) === toKey(command)
      const records = await changeSet(set, before =>
        checkSet(
          before.some(isSame) ? before.map(each => (isSame(each) ? command : each)) : [...before, command],
        ),
      )
      return toRegisteredCommand(requireCommand(records.find(isSame)))
    },

    /** Replaces a command, which keeps its id, also with another name. Throws 404 too. */
    async update(
      set: CommandSet,
      id: string,
      change: (command: RegisteredCommand) => unknown,
    ): Promise<RegisteredCommand> {
      const records = await changeSet(set, before => {
        const command = parseCommand(
          change(toRegisteredCommand(requireCommand(before.find(each => each.id === id)))),
        )
        return checkSet(before.map(each => (each.id === id ? { ...command, id } : each)))
      })
      return toRegisteredCommand(requireCommand(records.find(each => each.id === id)))
    },

    /** Throws 404. */
    async delete(set: CommandSet, id: string): Promise<void> {
      await changeSet(set, before => {
        requireCommand(before.find(each => each.id === id))
        return before.filter(each => each.id !== id)
      })
    },
  }
}

function requireCommand(command: store.CommandRecord | undefined): store.CommandRecord {
  if (command === undefined) throw notFound()
  return command
}

/** One command of a set, with the paths of its own members. */
function parseCommand(input: unknown): Command {
  const { commands, violations } = checkCommands([input])
  const [command] = commands
  if (command === undefined || violations.length > 0) {
    throw invalidAll(toFieldErrors(violations.map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) }))))
  }
  return command
}

/** Throws as `replace`. */
export function parseCommands(input: unknown): Command[] {
  const { commands, violations, overLimit } = checkCommands(input)
  if (overLimit) throw tooMany()
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  return commands
}

/** The rules of a set after the change of one command. */
function checkSet<Entry extends Command>(commands: Entry[]): Entry[] {
  if (findExceededType(commands)) throw tooMany()
  // As large as the body of a request that replaces the set.
  if (Buffer.byteLength(JSON.stringify(commands)) > maxBodyBytes) {
    throw new AppError('body_too_large', `A set has at most ${maxBodyBytes} bytes as JSON.`)
  }
  const duplicates = findDuplicateCommands(commands).map(each => ({ ...each, path: ['name'] }))
  if (duplicates.length > 0) throw invalidAll(toFieldErrors(duplicates))
  return commands
}

function tooMany(): AppError {
  return new AppError(
    'command_limit',
    `A set has at most ${maxCommands} slash commands, ${maxUserCommands} user commands and ` +
      `${maxMessageCommands} message commands.`,
  )
}

/** What identifies a command in a set. */
function toKey({ type, name }: Command): string {
  return `${type} ${name}`
}

function isEqual(a: Command, b: Command): boolean {
  const members = (command: Command) => [
    command.name,
    command.description,
    command.nameLocalizations,
    command.descriptionLocalizations,
    command.options,
    command.defaultMemberPermissions,
  ]
  return JSON.stringify(members(a)) === JSON.stringify(members(b))
}

export function toRegisteredCommand(command: store.CommandRecord): RegisteredCommand {
  const { serverId, createdAt, updatedAt, ...rest } = command
  return {
    ...rest,
    ...(serverId === null ? {} : { serverId }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
