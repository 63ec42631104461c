import {
  type CallbackBody,
  type CallbackName,
  callbackName,
  isEphemeral,
} from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { AppError, type Fault, invalid, invalidAll, notFound } from '../kit/app-error.ts'
import { messageView } from '../platform/messages/index.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import {
  type Answerer,
  type Answering,
  type AnsweringDeps,
  answering,
  ephemeralMessage,
  reworded,
  storedMessage,
} from './answering.ts'
import { refuseSecond } from './interaction.ts'
import * as store from './store.ts'
import { changedWords, newWords, nothing, readSaid, type Said, type Words } from './words.ts'

/**
 * The first response: once, within the deadline (D29). What is refused with 400 or 404 leaves the interaction as it was
 * (check 84). Answers what was made or changed, null for `deferred_update` (D59).
 */
export async function callback(
  deps: AnsweringDeps,
  answerer: Answerer,
  body: CallbackBody,
): Promise<Message | null> {
  const by = await answering(deps, answerer)
  const response = callbackName(body.type)
  try {
    refuseSecond(by.interaction, deps.clock())
    const message = await respond(deps, by, response, body)
    deps.deliveries.settled(by.interaction.id)
    return message
  } catch (error) {
    if (error instanceof AppError && error.code === 'interaction_timed_out') {
      await store.noteLate(deps.db, by.interaction.id, { response, now: deps.clock() })
    }
    throw error
  }
}

async function respond(
  deps: AnsweringDeps,
  by: Answering,
  response: CallbackName,
  { data = {} }: CallbackBody,
): Promise<Message | null> {
  const { pressed } = by.interaction
  if (response === 'message' || response === 'defer') {
    const deferred = response === 'defer'
    if (deferred) refuseWords(response, data)
    const words = deferred ? nothing : await newWords(deps.db, by, readSaid(data, 'data'))
    const first = { response, state: deferred ? 'deferred' : 'answered', words } as const
    return isEphemeral(data) ? showOne(deps, by, first) : postOne(deps, by, first)
  }
  // Check 74.
  if (!pressed) throw invalid('type', 'not_allowed', `${response} is for buttons`)
  if (response === 'update') {
    if (isEphemeral(data) && !pressed.ephemeral) {
      throw invalid('data.ephemeral', 'not_allowed', 'a message that others see cannot become ephemeral')
    }
    const said = readSaid(data, 'data')
    return pressed.ephemeral ? updateShown(deps, by, pressed, said) : updatePosted(deps, by, pressed, said)
  }
  refuseWords(response, data)
  await deps.db.transaction(tx => take(tx, deps, by, { response, state: 'answered', original: pressed }))
  return null
}

/** D29: `defer` may say whether it is ephemeral, and nothing else; `deferred_update` says nothing. */
function refuseWords(response: CallbackName, data: NonNullable<CallbackBody['data']>): void {
  const allowed = response === 'defer' ? ['ephemeral', 'flags'] : []
  const faults = Object.keys(data)
    .filter(key => !allowed.includes(key))
    .map(
      (key): Fault => ({ path: `data.${key}`, code: 'not_allowed', message: `does not go with ${response}` }),
    )
  if (faults.length > 0) throw invalidAll(faults)
}

interface First {
  response: CallbackName
  state: 'answered' | 'deferred'
}

/** The one transition (D29); throws where another was first or it is too late. The person is told after the commit. */
async function take(
  tx: Transaction,
  { clock, progress }: Pick<AnsweringDeps, 'clock' | 'progress'>,
  { interaction }: Answering,
  first: First & { original: store.Place | undefined },
): Promise<void> {
  const now = clock()
  if (!(await store.takeFirst(tx, interaction.id, { ...first, now }))) {
    await refuse(tx, interaction.id, now)
  }
  tx.afterCommit(() => progress.ended(interaction, { state: first.state }))
}

async function refuse(sql: Sql, id: string, now: number): Promise<never> {
  refuseSecond(await store.findInteraction(sql, id), now)
  throw new Error('an interaction is open and was not')
}

function postOne(deps: AnsweringDeps, by: Answering, first: First & { words: Words }): Promise<Message> {
  const { words, state, response } = first
  return deps.db.transaction(async tx => {
    await take(tx, deps, by, { response, state, original: undefined })
    const placed = storedMessage(by, words, state === 'deferred' ? 'deferred' : 'sent')
    const message = await deps.messages.createMessage(tx, placed)
    await store.setOriginal(tx, by.interaction.id, { id: message.id, ephemeral: false })
    return message
  })
}

/** Kept before the transition, so that an interaction which is answered has its answer; told of after it. */
async function showOne(
  deps: AnsweringDeps,
  by: Answering,
  first: First & { words: Words },
): Promise<Message> {
  const { db, ephemerals } = deps
  const { words, state, response } = first
  const record = ephemeralMessage(deps, by, words, state === 'deferred' ? 'deferred' : 'sent')
  const { message } = record
  await ephemerals.keep(record)
  try {
    const original = { id: message.id, ephemeral: true }
    await db.transaction(tx => take(tx, deps, by, { response, state, original }))
  } catch (error) {
    await ephemerals.forget(message.id)
    throw error
  }
  await ephemerals.announce(record)
  return message
}

/** 404, and nothing is taken, where the pressed message is gone (check 75). */
function updatePosted(
  deps: AnsweringDeps,
  by: Answering,
  pressed: store.Place,
  said: Said,
): Promise<Message> {
  const { db, messages } = deps
  return db.transaction(async tx => {
    await take(tx, deps, by, { response: 'update', state: 'answered', original: pressed })
    const before = await messages.findMessage(tx, by.channelId, pressed.id)
    if (!before) throw notFound()
    const words = await changedWords(tx, by, said, messageView(before))
    const message = await messages.editMessage(tx, pressed.id, words)
    if (!message) throw notFound()
    return message
  })
}

async function updateShown(
  deps: AnsweringDeps,
  by: Answering,
  pressed: store.Place,
  said: Said,
): Promise<Message> {
  const { db, clock, ephemerals } = deps
  const before = await ephemerals.find(pressed.id)
  if (!before) throw notFound()
  const words = await changedWords(db, by, said, before.message)
  const first = { response: 'update', state: 'answered', original: pressed } as const
  await db.transaction(tx => take(tx, deps, by, first))
  const message = await ephemerals.change(pressed.id, message => reworded(message, words, clock()))
  if (!message) throw notFound()
  return message
}
