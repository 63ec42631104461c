import * as v from 'valibot'
import { ContextCommandType } from './commands.ts'
import { ComponentsInput, Row } from './components.ts'
import { Embed, EmbedsInput, ProxyUrl } from './embeds.ts'
import { Id, Timestamp } from './ids.ts'
import { maxContent, maxNonce } from './limits.ts'
import { AllowedMentionsInput, Mentions } from './mentions.ts'
import { isBlank } from './text.ts'
import { InteractionUser } from './users.ts'
import {
  boolean,
  constant,
  described,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  text,
} from './wire.ts'

/**
 * The author of a message: a user, a bot or a webhook. The author id of a webhook is its own id
 * (webhooks/message-object).
 */
export const MessageAuthor = object(
  {
    id: described(Id, 'The id of the user or bot; of a webhook the id of the webhook.'),
    username: string('The unique name of a user or bot; of a webhook the name of the message.'),
    displayName: string('The name that other users see.'),
    avatar: nullable(
      string(),
      'A path on the service, or the URL of the avatar of a webhook; null if there is none.',
    ),
    avatarProxyUrl: ProxyUrl,
    bot: boolean('Whether the author is a bot or a webhook.'),
    webhookId: optional(described(Id, 'The id of the webhook that sent the message.')),
  },
  'The author of the message.',
)
export type MessageAuthor = v.InferOutput<typeof MessageAuthor>

export const InteractionType = oneOf(
  ['command', 'component', 'modal_submit'],
  '`command`: a user ran a command. `component`: a user pressed a button or used a select ' +
    'menu. `modal_submit`: a user submitted a modal.',
)
export type InteractionType = v.InferOutput<typeof InteractionType>

/**
 * The interaction that a message responds to. `name` is the name of the command or the `customId` of the component or
 * modal (bots/callback-response).
 */
export const MessageInteraction = object(
  {
    id: described(Id, 'The id of the interaction.'),
    type: InteractionType,
    name: string('The name of the command, or the `customId` of the component or modal.'),
    commandType: optional(ContextCommandType),
    user: InteractionUser,
  },
  'The interaction that the message responds to.',
)
export type MessageInteraction = v.InferOutput<typeof MessageInteraction>

export const MessageState = oneOf(
  ['sent', 'deferred', 'expired'],
  '`sent`: complete. `deferred`: a placeholder. `expired`: a placeholder that was not replaced in time.',
)
export type MessageState = v.InferOutput<typeof MessageState>

export const Message = object(
  {
    id: described(Id, 'The id of the message.'),
    channelId: described(Id, 'The id of the channel.'),
    serverId: nullable(Id, 'The id of the server; null in a direct message.'),
    author: MessageAuthor,
    content: string('The text; empty if there is none.'),
    embeds: list(Embed, 'The embeds, in their order.'),
    components: list(Row, 'The rows of buttons and select menus.'),
    mentions: Mentions,
    createdAt: described(Timestamp, 'When the message was sent.'),
    editedAt: nullable(Timestamp, 'When the message was last edited; null if it never was.'),
    state: MessageState,
    interaction: optional(MessageInteraction),
    ephemeral: optional(constant(true, 'Whether only the caller can see it. It is not stored.')),
  },
  'A message.',
)
export type Message = v.InferOutput<typeof Message>

/** The text of a message. Null and a text without a visible character are `''` (webhooks/empty-message). */
export const Content = v.pipe(
  nullable(text({ max: maxContent }), 'The text: up to 2000 characters; null for no text.'),
  v.transform(content => (content === null || isBlank(content) ? '' : content)),
)

/** A repeated request with the same nonce in the same channel changes nothing and returns the same response. */
export const Nonce = text({
  min: 1,
  max: maxNonce,
  description: 'A repeated request with the same nonce has no effect; up to 64 characters.',
})

/** `POST /api/channels/:id/messages` → 201 Message. Embeds and components are for bots. */
export const CreateMessageBody = object(
  {
    content: optional(Content),
    embeds: optional(EmbedsInput),
    components: optional(ComponentsInput),
    allowedMentions: optional(AllowedMentionsInput),
    nonce: optional(Nonce),
  },
  'A new message. Only bots may send embeds and components.',
)
export type CreateMessageBody = v.InferOutput<typeof CreateMessageBody>

/**
 * `PATCH /api/channels/:id/messages/:messageId`, and of responses → 200 Message. Changes the fields in the body
 * (bots/callback-response).
 */
export const UpdateMessageBody = object(
  {
    content: optional(Content),
    embeds: optional(EmbedsInput),
    components: optional(ComponentsInput),
    allowedMentions: optional(AllowedMentionsInput),
  },
  'The fields to change; null and [] clear a field.',
)
export type UpdateMessageBody = v.InferOutput<typeof UpdateMessageBody>
