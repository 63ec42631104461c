import { type CallbackBody, type CallbackName, isEphemeral } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import type { Modal } from '@gatehouse/protocol/modals'
import { AppError, invalid } from '../errors/app-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { Autocomplete } from './autocomplete.ts'
import { type Content, createContent, emptyContent } from './interaction-content.ts'
import * as store from './interaction-store.ts'
import {
  assertAcceptsCallback,
  editMessageOfInteraction,
  openContext,
  type ResponseContext,
  type ResponseCredentials,
  type ResponseDeps,
  requireAccepted,
  toEphemeralRecord,
  toNewMessage,
} from './response-context.ts'

export type Callback = ReturnType<typeof createCallbackHandler>

type CallbackAutocomplete = Pick<Autocomplete, 'respond' | 'assertNotWaiting'>

/** Whether no user waits for suggestions of the interaction. */
function isNotWaiting(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'not_found' || error.code === 'interaction_timed_out')
}

/** (bots/callback-type) */
function notAllowed(reason: string): AppError {
  return invalid('type', 'not_allowed', `must be another type of response: ${reason}`)
}

interface FirstResponse {
  response: CallbackName
  state: 'answered' | 'deferred'
  modal?: Modal
}

/**
 * The first response to an interaction: once, before the deadline (bots/interaction-states). A request that is refused
 * with 400 leaves the interaction pending (bots/response-validation).
 *
 * Rollbacks: the claim of the first response and the change to a stored message are one transaction. If the message was
 * deleted (404) or would become empty (400), the rollback undoes the claim too and INTERACTION_UPDATE is not published,
 * so the bot may respond again. A lost claim changes nothing. Ephemeral messages are not in the database and no
 * rollback reaches them: a new one is stored before the claim and discarded if the claim fails, an edit is written
 * after the claim.
 */
export function createCallbackHandler({
  dispatcher,
  autocomplete,
  ...deps
}: ResponseDeps & { dispatcher: { complete(id: string): void }; autocomplete: CallbackAutocomplete }) {
  const { db, clock, messages, ephemerals, status } = deps

  /**
   * Returns the created or edited message, or null for `deferred_update`, `autocomplete` and `modal`
   * (bots/callback-response).
   */
  async function callback(credentials: ResponseCredentials, body: CallbackBody): Promise<Message | null> {
    if (body.type === 'autocomplete') {
      await suggest(credentials, body.data.choices)
      return null
    }
    const context = await openStored(credentials)
    try {
      assertAcceptsCallback(context.interaction, clock())
      await requireAccepted(db, context)
      const message = await applyCallback(context, body)
      dispatcher.complete(context.interaction.id)
      return message
    } catch (error) {
      if (error instanceof AppError && error.code === 'interaction_timed_out') {
        // Outside the transaction of the claim. If that threw, its rollback would undo the record.
        await store.recordLateResponse(db, context.interaction.id, { response: body.type, now: clock() })
      }
      throw error
    }
  }

  /** Throws 400 instead of 404 if the interaction exists but is not of the type `autocomplete`. */
  async function suggest(credentials: ResponseCredentials, choices: unknown): Promise<void> {
    try {
      await autocomplete.respond(credentials, choices)
    } catch (error) {
      if (!isNotWaiting(error)) throw error
      await openContext(deps, credentials).catch(() => {
        throw error
      })
      throw invalid('type', 'not_allowed', 'must not be "autocomplete" for this interaction')
    }
  }

  /**
   * Like `openContext`. An autocomplete interaction is not stored: its 404 becomes a 400, which tells the bot that the
   * type is wrong.
   */
  async function openStored(credentials: ResponseCredentials): Promise<ResponseContext> {
    try {
      return await openContext(deps, credentials)
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found')
        await autocomplete.assertNotWaiting(credentials)
      throw error
    }
  }

  async function applyCallback(
    context: ResponseContext,
    body: Exclude<CallbackBody, { type: 'autocomplete' }>,
  ): Promise<Message | null> {
    if (body.type === 'modal') return openModal(context, body.data)
    const { type: response, data = {} } = body
    const { sourceMessage, type } = context.interaction
    if (response === 'message' || response === 'defer') {
      const deferred = response === 'defer'
      const content = deferred
        ? emptyContent
        : await createContent(db, context, { fields: data, prefix: 'data' })
      const first = { response, state: deferred ? 'deferred' : 'answered', content } as const
      return isEphemeral(data) ? createEphemeral(context, first) : createPublic(context, first)
    }
    // `deferred_update` also answers: unlike `defer`, it leaves no placeholder. `original` is the message that
    // `…/original` edits.
    const first = { response, state: 'answered', original: sourceMessage } as const
    const claimResponse = (tx: Transaction) => claim(tx, context, first)
    if (response === 'update') {
      if (!sourceMessage) throw notAllowed('"update" is only for components and the modals that they open')
      if (isEphemeral(data) && !sourceMessage.ephemeral) {
        throw invalid(
          'data.ephemeral',
          'not_allowed',
          'must not be set: a stored message cannot become ephemeral',
        )
      }
      // Throws 404 if the message was deleted (bots/button-message-deleted).
      return editMessageOfInteraction(
        deps,
        context,
        sourceMessage,
        { fields: data, prefix: 'data' },
        claimResponse,
      )
    }
    // Does not compile if a response type has no branch above.
    response satisfies 'deferred_update'
    if (type === 'command') throw notAllowed('"deferred_update" is only for components and modals')
    await db.transaction(claimResponse)
    return null
  }

  /** Only the user of the interaction sees the modal, in its status (bots/modals). */
  async function openModal(context: ResponseContext, modal: Modal): Promise<null> {
    if (context.interaction.type === 'modal_submit') {
      throw invalid('type', 'not_allowed', 'must not be "modal" for a submitted modal')
    }
    const first = { response: 'modal', state: 'answered', original: undefined, modal } as const
    await db.transaction(tx => claim(tx, context, first))
    return null
  }

  /**
   * Makes the transition from `pending`, which exactly one request wins (bots/interaction-states). Throws 404, 409 or
   * 410 if another request or the deadline was first.
   */
  async function claim(
    tx: Transaction,
    { interaction }: ResponseContext,
    first: FirstResponse & { original: store.MessageRef | undefined },
  ): Promise<void> {
    const now = clock()
    if (!(await store.claimFirstResponse(tx, interaction.id, { ...first, now }))) {
      assertAcceptsCallback(await store.findInteraction(tx, interaction.id), now)
      throw new Error('the interaction accepts a first response, but it could not be claimed')
    }
    const { state, modal } = first
    tx.afterCommit(() =>
      status.publishAndCountOutcome(interaction, { state, ...(modal !== undefined && { modal }) }),
    )
  }

  function createPublic(
    context: ResponseContext,
    { content, state, response }: FirstResponse & { content: Content },
  ): Promise<Message> {
    const newMessage = toNewMessage(context, content, state === 'deferred' ? 'deferred' : 'sent')
    return messages.createMessage(newMessage, (tx, id) =>
      claim(tx, context, { response, state, original: { id, ephemeral: false } }),
    )
  }

  /**
   * Stores the message before the claim, so that an answered interaction has its message. Publishes it after the claim.
   */
  async function createEphemeral(
    context: ResponseContext,
    { content, state, response }: FirstResponse & { content: Content },
  ): Promise<Message> {
    const record = toEphemeralRecord(deps, context, content, state === 'deferred' ? 'deferred' : 'sent')
    const { message } = record
    await ephemerals.store(record)
    try {
      const original = { id: message.id, ephemeral: true }
      await db.transaction(tx => claim(tx, context, { response, state, original }))
    } catch (error) {
      await ephemerals.discard(record)
      throw error
    }
    await ephemerals.publishCreate(record)
    return message
  }

  return callback
}
