import { isEphemeral, type ResponseData } from '@gatehouse/protocol/interactions'
import type { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { notFound } from '../kit/app-error.ts'
import { messageView } from '../platform/messages/index.ts'
import type { Transaction } from '../storage/database.ts'
import {
  type Answerer,
  type Answering,
  type AnsweringDeps,
  answering,
  ephemeralMessage,
  reworded,
  storedMessage,
} from './answering.ts'
import { refuseUnlessOpen } from './interaction.ts'
import * as store from './store.ts'
import { changedWords, newWords, readSaid, type Said, type Words } from './words.ts'

/** After the first response and until the token expires: 409 before the first response, 410 when it is too late (D59). */
async function open(deps: AnsweringDeps, answerer: Answerer): Promise<Answering> {
  const by = await answering(deps, answerer)
  refuseUnlessOpen(by.interaction, deps.clock())
  return by
}

/**
 * Another message. The first one after `defer` takes the placeholder's place, under its id where both are seen by the
 * same (D60); whether it is ephemeral it says itself (check 72).
 */
export async function followup(
  deps: AnsweringDeps,
  answerer: Answerer,
  body: ResponseData,
): Promise<Message> {
  const by = await open(deps, answerer)
  const words = await newWords(deps.db, by, readSaid(body))
  return isEphemeral(body) ? followupShown(deps, by, words) : followupPosted(deps, by, words)
}

async function followupPosted(deps: AnsweringDeps, by: Answering, words: Words): Promise<Message> {
  const { db, messages, ephemerals } = deps
  const { message, placeholder } = await db.transaction(async tx => {
    const taken = await takePlaceholder(tx, deps, by)
    const placeholder = taken?.placeholder
    if (placeholder && !placeholder.ephemeral) {
      const message = await messages.editMessage(tx, placeholder.id, { ...words, state: 'sent' })
      if (message) return { message, placeholder }
    }
    const message = await messages.createMessage(tx, storedMessage(by, words, 'sent'))
    if (taken) await store.setOriginal(tx, by.interaction.id, { id: message.id, ephemeral: false })
    return { message, placeholder }
  })
  if (placeholder?.ephemeral) await ephemerals.remove(placeholder.id)
  return message
}

async function followupShown(deps: AnsweringDeps, by: Answering, words: Words): Promise<Message> {
  const { db, clock, messages, ephemerals } = deps
  const record = ephemeralMessage(deps, by, words, 'sent')
  const { message } = record
  await ephemerals.keep(record)
  const placeholder = await db.transaction(async tx => {
    const taken = await takePlaceholder(tx, deps, by)
    if (taken?.placeholder?.ephemeral) return taken.placeholder
    if (taken?.placeholder) await messages.deleteMessage(tx, taken.placeholder.id)
    if (taken) await store.setOriginal(tx, by.interaction.id, { id: message.id, ephemeral: true })
    return undefined
  })
  if (placeholder) {
    const changed = await ephemerals.change(placeholder.id, before => reworded(before, words, clock()))
    if (changed) {
      await ephemerals.forget(message.id)
      return changed
    }
    await store.setOriginal(db, by.interaction.id, { id: message.id, ephemeral: true })
  }
  await ephemerals.announce(record)
  return message
}

/** D29: one of any number at once takes the placeholder's place. */
async function takePlaceholder(
  tx: Transaction,
  { clock, progress }: AnsweringDeps,
  { interaction }: Answering,
): Promise<{ placeholder: store.Place | undefined } | undefined> {
  const taken = await store.takePlaceholder(tx, interaction.id, clock())
  if (taken) tx.afterCommit(() => progress.followed(interaction, { state: 'answered' }))
  return taken
}

/** What the first response made or changed, `messageId` undefined, or one of the follow-ups; 404 for any other. */
export type Which = Answerer & { messageId: string | undefined }

async function placeOf(
  deps: AnsweringDeps,
  by: Answering,
  messageId: string | undefined,
): Promise<store.Place> {
  const { interaction, channelId } = by
  const { id, original } = interaction
  if (messageId === undefined || messageId === original?.id) {
    if (!original) throw notFound()
    return original
  }
  const stored = await deps.messages.findMessage(deps.db, channelId, messageId)
  if (stored?.interactionId === id) return { id: messageId, ephemeral: false }
  const shown = await deps.ephemerals.find(messageId)
  if (shown?.interactionId === id) return { id: messageId, ephemeral: true }
  throw notFound()
}

export async function readResponse(deps: AnsweringDeps, which: Which): Promise<Message> {
  const by = await open(deps, which)
  const place = await placeOf(deps, by, which.messageId)
  if (place.ephemeral) {
    const record = await deps.ephemerals.find(place.id)
    if (!record) throw notFound()
    return record.message
  }
  const record = await deps.messages.findMessage(deps.db, by.channelId, place.id)
  if (!record) throw notFound()
  return messageView(record)
}

/** What is named changes; the first change of a placeholder is its answer (D29). */
export async function editResponse(
  deps: AnsweringDeps,
  which: Which,
  body: UpdateMessageBody,
): Promise<Message> {
  const by = await open(deps, which)
  const said = readSaid(body)
  const place = await placeOf(deps, by, which.messageId)
  return place.ephemeral ? editShown(deps, by, place, said) : editPosted(deps, by, place, said)
}

function editPosted(deps: AnsweringDeps, by: Answering, { id }: store.Place, said: Said): Promise<Message> {
  const { db, messages } = deps
  return db.transaction(async tx => {
    if (by.interaction.original?.id === id) await takePlaceholder(tx, deps, by)
    const before = await messages.findMessage(tx, by.channelId, id)
    if (!before) throw notFound()
    const words = await changedWords(tx, by, said, messageView(before))
    const message = await messages.editMessage(tx, id, { ...words, state: 'sent' })
    if (!message) throw notFound()
    return message
  })
}

async function editShown(
  deps: AnsweringDeps,
  by: Answering,
  { id }: store.Place,
  said: Said,
): Promise<Message> {
  const { db, clock, ephemerals } = deps
  const before = await ephemerals.find(id)
  if (!before) throw notFound()
  const words = await changedWords(db, by, said, before.message)
  if (by.interaction.original?.id === id) await db.transaction(tx => takePlaceholder(tx, deps, by))
  const message = await ephemerals.change(id, message => reworded(message, words, clock()))
  if (!message) throw notFound()
  return message
}

/** A follow-up after the first response was deleted is a message of its own (check 71). */
export async function deleteResponse(deps: AnsweringDeps, which: Which): Promise<void> {
  const by = await open(deps, which)
  const place = await placeOf(deps, by, which.messageId)
  const deleted = place.ephemeral ? await deleteShown(deps, by, place) : await deletePosted(deps, by, place)
  if (!deleted) throw notFound()
}

function deletePosted(deps: AnsweringDeps, by: Answering, { id }: store.Place): Promise<boolean> {
  return deps.db.transaction(async tx => {
    await clearOriginal(tx, deps, by, id)
    return deps.messages.deleteMessage(tx, id)
  })
}

async function deleteShown(deps: AnsweringDeps, by: Answering, { id }: store.Place): Promise<boolean> {
  await deps.db.transaction(tx => clearOriginal(tx, deps, by, id))
  return deps.ephemerals.remove(id)
}

async function clearOriginal(
  tx: Transaction,
  { progress }: AnsweringDeps,
  { interaction }: Answering,
  id: string,
): Promise<void> {
  if (interaction.original?.id !== id || !(await store.clearOriginal(tx, interaction.id, id))) return
  if (interaction.state === 'deferred') {
    tx.afterCommit(() => progress.followed(interaction, { state: 'answered' }))
  }
}
