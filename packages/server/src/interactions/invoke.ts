import { toFieldFaults } from '@gatehouse/protocol/faults'
import {
  type CommandInteraction,
  type ComponentInteraction,
  type Invoke,
  type InvokeAnswer,
  type InvokeBody,
  readInvoke,
} from '@gatehouse/protocol/interactions'
import { firstResponseMs } from '@gatehouse/protocol/limits'
import type { InteractionUser } from '@gatehouse/protocol/users'
import type { ApplicationRecord } from '../applications/index.ts'
import { invalidAll, notFound } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { hashSecret, makeSecret, secretPrefixes } from '../kit/secret.ts'
import { findMemberIds } from '../platform/members/index.ts'
import type { Messages } from '../platform/messages/index.ts'
import { requireChannel, visibleChannels } from '../platform/permissions/index.ts'
import { findRoleIds } from '../platform/roles/index.ts'
import { findUser, userView } from '../platform/users/index.ts'
import type { Database } from '../storage/database.ts'
import { findPressed } from './buttons.ts'
import { botOf, requireUse, usableCommand } from './commands.ts'
import type { Deliveries } from './delivery.ts'
import type { Ephemerals } from './ephemeral.ts'
import { standingAt, tokenMs } from './interaction.ts'
import { checkOptions } from './options.ts'
import type { Progress } from './progress.ts'
import * as store from './store.ts'

export interface InvokeDeps {
  db: Database
  clock: Clock
  ids: () => string
  messages: Pick<Messages, 'findMessage'>
  ephemerals: Ephemerals
  deliveries: Pick<Deliveries, 'start'>
  /** How the application's bot is asked. */
  deliveryOf: (application: ApplicationRecord) => store.InteractionRecord['delivery']
  progress: Progress
  report: (error: unknown) => void
}

/** What is particular to a command or a button. */
type Asked = {
  application: ApplicationRecord
  serverId: string | null
  name: string
  pressed?: store.Place
} & (Pick<CommandInteraction, 'type' | 'data'> | Pick<ComponentInteraction, 'type' | 'data' | 'message'>)

/**
 * A person uses a command or presses a button. What they gave is checked before anything is sent; once the bot has the
 * event, or nobody took it, the answer comes. A repeat with the same nonce changes nothing.
 */
export async function invoke(deps: InvokeDeps, userId: string, body: InvokeBody): Promise<InvokeAnswer> {
  const { db, clock } = deps
  const { invoke: use, faults } = readInvoke(body)
  if (!use) throw invalidAll(toFieldFaults(faults))
  const { channelId, nonce } = use
  if (nonce !== undefined) {
    const before = await store.findByNonce(db, { userId, channelId, nonce })
    if (before) return answerOf(before, clock())
  }
  const [user, asked] = await Promise.all([findUser(db, userId), ask(deps, userId, use)])
  if (!user) throw notFound()
  const { bot: _, ...asker } = userView(user)
  return send(deps, use, { asker, asked })
}

function ask(deps: InvokeDeps, userId: string, use: Invoke): Promise<Asked> {
  return use.type === 'command' ? askCommand(deps, userId, use) : askButton(deps, userId, use)
}

async function askCommand(
  { db }: InvokeDeps,
  userId: string,
  { channelId, commandId, options: given }: Extract<Invoke, { type: 'command' }>,
): Promise<Asked> {
  const { channel, permissions } = await requireChannel(db, userId, channelId)
  const { serverId } = channel
  // Commands work in server channels (the specification, Events).
  if (serverId === null) throw notFound()
  requireUse(permissions)
  const { command, application } = await usableCommand(db, { commandId, channelId, serverId })
  const options = await checkOptions(command.options, given, {
    users: ids => findMemberIds(db, serverId, ids),
    channels: () => visibleChannels(db, userId, serverId),
    roles: ids => findRoleIds(db, serverId, ids),
  })
  const { id, name } = command
  return { type: 'command', application, serverId, name, data: { id, name, options } }
}

async function askButton(
  { db, messages, ephemerals }: InvokeDeps,
  userId: string,
  { channelId, messageId, customId }: Extract<Invoke, { type: 'component' }>,
): Promise<Asked> {
  const { channel } = await requireChannel(db, userId, channelId)
  const press = { userId, channelId, messageId, customId }
  const { place, applicationId, content, components } = await findPressed(db, { messages, ephemerals }, press)
  return {
    type: 'component',
    application: await botOf(db, applicationId, channelId),
    serverId: channel.serverId,
    name: customId,
    pressed: place,
    data: { customId, componentType: 'button' },
    message: { id: messageId, content, components },
  }
}

async function send(
  deps: InvokeDeps,
  use: Invoke,
  { asker, asked }: { asker: InteractionUser; asked: Asked },
): Promise<InvokeAnswer> {
  const { db, clock, ids, deliveries, progress } = deps
  const createdAt = clock()
  const deadlineAt = createdAt + firstResponseMs
  const token = makeSecret(secretPrefixes.interactionToken)
  const event = makeEvent({ id: ids(), token, channelId: use.channelId, asker, asked, createdAt, deadlineAt })
  const interaction: store.InteractionRecord = {
    id: event.id,
    tokenHash: hashSecret(token),
    applicationId: event.applicationId,
    channelId: event.channelId,
    serverId: event.serverId,
    userId: asker.id,
    type: event.type,
    name: asked.name,
    nonce: use.nonce ?? null,
    pressed: asked.pressed,
    event: JSON.stringify(keepable(event, asked.pressed)),
    delivery: deps.deliveryOf(asked.application),
    state: 'pending',
    reason: null,
    response: null,
    respondedAt: null,
    original: undefined,
    createdAt,
    deadlineAt,
    expiresAt: createdAt + tokenMs,
  }
  if (!(await store.insertInteraction(db, interaction))) return repeated(deps, interaction)

  const delivered = await deliveries.start({ event, application: asked.application, deadlineAt })
  if (delivered.taken) {
    // An endpoint may have answered with its first response; the console has.
    const now = interaction.delivery === 'gateway' ? undefined : await store.findInteraction(db, event.id)
    return answerOf(now ?? interaction, clock())
  }
  if (delivered.cause !== undefined) deps.report(delivered.cause)
  const { reason } = delivered
  const failed = await store.fail(db, event.id, reason)
  if (failed) progress.ended(failed, { state: 'failed', reason })
  return answerOf({ ...interaction, state: failed ? 'failed' : 'pending' }, clock())
}

/** Of several with one nonce at once, the one that was kept. */
async function repeated(
  { db, clock }: InvokeDeps,
  { userId, channelId, nonce }: store.InteractionRecord,
): Promise<InvokeAnswer> {
  const before = nonce === null ? undefined : await store.findByNonce(db, { userId, channelId, nonce })
  if (!before) throw new Error('the interaction of this nonce was deleted in this very moment')
  return answerOf(before, clock())
}

interface EventParts {
  id: string
  token: string
  channelId: string
  asker: InteractionUser
  asked: Asked
  createdAt: number
  deadlineAt: number
}

/** INTERACTION_CREATE as the specification has it (Events; D56 and the contract, Gateway). */
function makeEvent(parts: EventParts): CommandInteraction | ComponentInteraction {
  const { id, token, channelId, asker, asked, createdAt, deadlineAt } = parts
  const head = { version: 1, id, token } as const
  const middle = { applicationId: asked.application.id, channelId }
  const times = {
    createdAt: new Date(createdAt).toISOString(),
    deadlineAt: new Date(deadlineAt).toISOString(),
    expiresAt: new Date(createdAt + tokenMs).toISOString(),
  }
  if (asked.type === 'component') {
    const { type, serverId, message, data } = asked
    return { ...head, type, ...middle, serverId, user: asker, message, data, ...times }
  }
  const { type, serverId, data } = asked
  if (serverId === null) throw new Error('a command was used outside of a server')
  return { ...head, type, ...middle, serverId, user: asker, data, ...times }
}

/** What may be written down: no token, and of an ephemeral message nothing but its id (D30). */
function keepable(
  event: CommandInteraction | ComponentInteraction,
  pressed: store.Place | undefined,
): object {
  const { token: _, ...rest } = event
  return pressed?.ephemeral === true ? { ...rest, message: { id: pressed.id } } : rest
}

function answerOf(interaction: store.InteractionRecord, now: number): InvokeAnswer {
  return {
    id: interaction.id,
    state: standingAt(interaction, now).state,
    deadlineAt: new Date(interaction.deadlineAt).toISOString(),
  }
}
