import { type Command, checkCommands, type RegisteredCommand } from '@gatehouse/protocol/commands'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { maxCommands, maxMessageCommands, maxUserCommands } from '@gatehouse/protocol/limits'
import { AppError, invalidAll, notFound } from '../errors/app-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import { lockApplication } from './application-store.ts'
import { ownApplication } from './applications.ts'
import * as store from './command-store.ts'
import { findIntegration, listServersOfApplication } from './integration-store.ts'

export type Commands = ReturnType<typeof createCommands>

/** `serverId` is null for the global set. */
export function createCommands({ db, clock, ids, events }: Deps) {
  /** A command whose type and name remain keeps its id and, if nothing else changes, `updatedAt`. */
  async function replaceSet(
    tx: Transaction,
    applicationId: string,
    serverId: string | null,
    commands: readonly Command[],
  ): Promise<store.CommandRecord[]> {
    const before = new Map(
      (await store.listCommands(tx, applicationId, serverId)).map(command => [toKey(command), command]),
    )
    const keys = new Set(commands.map(toKey))
    for (const [key, { id }] of before) if (!keys.has(key)) await store.markDeleted(tx, id, clock())
    const records: store.CommandRecord[] = []
    for (const [position, command] of commands.entries()) {
      const existing = before.get(toKey(command))
      const now = clock()
      const record = {
        ...command,
        id: existing?.id ?? ids(),
        applicationId,
        serverId,
        createdAt: existing?.createdAt ?? now,
        updatedAt: existing && isEqual(existing, command) ? existing.updatedAt : now,
      }
      await store.upsertCommand(tx, record, position)
      records.push(record)
    }
    return records
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
     * with paths such as `[3].options[1].name`; then nothing changes.
     */
    async replace(
      applicationId: string,
      serverId: string | null,
      input: unknown,
    ): Promise<RegisteredCommand[]> {
      const commands = parseCommands(input)
      return db.transaction(async tx => {
        // The row lock orders concurrent requests, so that one complete set remains.
        if (!(await lockApplication(tx, applicationId))) throw notFound()
        if (serverId !== null && !(await findIntegration(tx, serverId, applicationId))) throw notFound()
        const records = await replaceSet(tx, applicationId, serverId, commands)
        const serverIds = serverId === null ? await listServersOfApplication(tx, applicationId) : [serverId]
        tx.afterCommit(() => {
          for (const id of serverIds) events.toServer(id, { t: 'COMMANDS_UPDATE', d: { serverId: id } })
        })
        return records.map(toRegisteredCommand)
      })
    },
  }
}

function parseCommands(input: unknown): Command[] {
  const { commands, violations, overLimit } = checkCommands(input)
  if (overLimit) {
    throw new AppError(
      'command_limit',
      `A set has at most ${maxCommands} slash commands, ${maxUserCommands} user commands and ` +
        `${maxMessageCommands} message commands.`,
    )
  }
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  return commands
}

/** What identifies a command in a set. */
function toKey({ type, name }: Command): string {
  return `${type} ${name}`
}

function isEqual(a: Command, b: Command): boolean {
  const members = (command: Command) => [
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
