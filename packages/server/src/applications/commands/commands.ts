import { type Command, checkCommands, type RegisteredCommand } from '@gatehouse/protocol/commands'
import { toFieldFaults } from '@gatehouse/protocol/faults'
import { maxCommands } from '@gatehouse/protocol/limits'
import { AppError, invalidAll, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Events } from '../../platform/events.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { ownApplication } from '../application.ts'
import { findInstallation, serversOfApplication } from '../installations/store.ts'
import { lockApplication } from '../store.ts'
import * as store from './store.ts'

interface CommandDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Events
}

export interface CommandRules {
  /** One set, in its order; `serverId` null for the global one. 404 on a server that the application was not added to. */
  list(applicationId: string, serverId: string | null): Promise<RegisteredCommand[]>
  /** All sets, the global one first, for the application's owner; 404 for anybody else. */
  listAll(ownerId: string, applicationId: string): Promise<RegisteredCommand[]>
  /**
   * Replaces one set as a whole: a name that stays keeps its id (D27), what is not in `input` is deleted, and on any
   * fault nothing changes. Throws `command_limit` or `validation_failed` with paths like `[3].options[1].name` (D52).
   */
  put(applicationId: string, serverId: string | null, input: unknown): Promise<RegisteredCommand[]>
}

export function createCommandRules({ db, clock, ids, events }: CommandDeps): CommandRules {
  return {
    async list(applicationId, serverId) {
      if (serverId !== null && !(await findInstallation(db, serverId, applicationId))) throw notFound()
      return (await store.listCommands(db, applicationId, serverId)).map(view)
    },

    async listAll(ownerId, applicationId) {
      await ownApplication(db, ownerId, applicationId)
      return (await store.commandsOfApplication(db, applicationId)).map(view)
    },

    async put(applicationId, serverId, input) {
      const commands = checked(input)
      return db.transaction(async tx => {
        // The row's lock first: of two sets put at once, one stands whole.
        if (!(await lockApplication(tx, applicationId))) throw notFound()
        if (serverId !== null && !(await findInstallation(tx, serverId, applicationId))) throw notFound()
        const after = await replace(tx, applicationId, serverId, commands)
        const servers = serverId === null ? await serversOfApplication(tx, applicationId) : [serverId]
        tx.afterCommit(() => {
          for (const id of servers) events.toServer(id, { t: 'COMMANDS_UPDATE', d: { serverId: id } })
        })
        return after.map(view)
      })
    },
  }

  async function replace(
    tx: Transaction,
    applicationId: string,
    serverId: string | null,
    commands: readonly Command[],
  ): Promise<store.CommandRecord[]> {
    const before = new Map(
      (await store.listCommands(tx, applicationId, serverId)).map(command => [command.name, command]),
    )
    const names = new Set(commands.map(command => command.name))
    for (const [name, command] of before) if (!names.has(name)) await store.deleteCommand(tx, command.id)
    const after: store.CommandRecord[] = []
    for (const [position, command] of commands.entries()) {
      const stood = before.get(command.name)
      const now = clock()
      const changed = stood === undefined || !isSame(stood, command)
      const record = {
        ...command,
        id: stood?.id ?? ids(),
        applicationId,
        serverId,
        createdAt: stood?.createdAt ?? now,
        updatedAt: changed ? now : stood.updatedAt,
      }
      await store.putCommand(tx, record, position)
      after.push(record)
    }
    return after
  }
}

function checked(input: unknown): Command[] {
  const { commands, faults, overLimit } = checkCommands(input)
  if (overLimit) {
    throw new AppError('command_limit', `A set has at most ${maxCommands} commands.`)
  }
  if (faults.length > 0) throw invalidAll(toFieldFaults(faults))
  return commands
}

function isSame(a: Command, b: Command): boolean {
  return a.description === b.description && JSON.stringify(a.options) === JSON.stringify(b.options)
}

function view(command: store.CommandRecord): RegisteredCommand {
  const { serverId, createdAt, updatedAt, ...rest } = command
  return {
    ...rest,
    ...(serverId === null ? {} : { serverId }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
