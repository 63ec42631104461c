import type { Static } from 'typebox'
import { ContextCommandType } from './commands.ts'
import { ComponentsInput, Row } from './components.ts'
import { Embed, EmbedsInput, ProxyUrl } from './embeds.ts'
import { Id, Timestamp } from './ids.ts'
import { maxContent, maxNonce } from './limits.ts'
import { AllowedMentionsInput, Mentions } from './mentions.ts'
import { closed, Described, Nullable, OneOf } from './schema.ts'
import { Text } from './text.ts'
import { Type } from './type.ts'
import { InteractionUser } from './users.ts'

/** The author of a message: a user, a bot or a webhook. The author id of a webhook is its own id (webhooks/message-object). */
export const MessageAuthor = Type.Object(
  {
    id: Described(Id, 'The id of the user or bot; of a webhook the id of the webhook.'),
    username: Type.String({
      description: 'The unique name of a user or bot; of a webhook the name of the message.',
    }),
    displayName: Type.String({ description: 'The name that other users see.' }),
    avatar: Nullable(Type.String(), {
      description: 'A path on the service, or the URL of the avatar of a webhook; null if there is none.',
    }),
    avatarProxyUrl: ProxyUrl,
    bot: Type.Boolean({ description: 'Whether the author is a bot or a webhook.' }),
    webhookId: Type.Optional(Described(Id, 'The id of the webhook that sent the message.')),
  },
  closed('The author of the message.'),
)
export type MessageAuthor = Static<typeof MessageAuthor>

export const InteractionType = OneOf(['command', 'component', 'modal_submit'], {
  description:
    '`command`: a user ran a command. `component`: a user pressed a button or used a select menu. `modal_submit`: a user submitted a modal.',
})
export type InteractionType = Static<typeof InteractionType>

/** The interaction that a message responds to. `name` is the name of the command or the `customId` of the component or modal (bots/callback-response). */
export const MessageInteraction = Type.Object(
  {
    id: Described(Id, 'The id of the interaction.'),
    type: InteractionType,
    name: Type.String({
      description: 'The name of the command, or the `customId` of the component or modal.',
    }),
    commandType: Type.Optional(ContextCommandType),
    user: InteractionUser,
  },
  closed('The interaction that the message responds to.'),
)
export type MessageInteraction = Static<typeof MessageInteraction>

export const MessageState = OneOf(['sent', 'deferred', 'expired'], {
  description:
    '`sent`: complete. `deferred`: a placeholder. `expired`: a placeholder that was not replaced in time.',
})
export type MessageState = Static<typeof MessageState>

export const Message = Type.Object(
  {
    id: Described(Id, 'The id of the message.'),
    channelId: Described(Id, 'The id of the channel.'),
    serverId: Nullable(Id, { description: 'The id of the server; null in a direct message.' }),
    author: MessageAuthor,
    content: Type.String({ description: 'The text; empty if there is none.' }),
    embeds: Type.Array(Embed, { description: 'The embeds, in their order.' }),
    components: Type.Array(Row, { description: 'The rows of buttons and select menus.' }),
    mentions: Mentions,
    createdAt: Described(Timestamp, 'When the message was sent.'),
    editedAt: Nullable(Timestamp, { description: 'When the message was last edited; null if it never was.' }),
    state: MessageState,
    interaction: Type.Optional(MessageInteraction),
    ephemeral: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'Whether only the caller can see it. It is not stored.',
      }),
    ),
  },
  closed('A message.'),
)
export type Message = Static<typeof Message>

/** The text of a message. `checkContent` checks whether it has a visible character. */
export const Content = Nullable(Text({ max: maxContent }), {
  description: 'The text: up to 2000 characters; null for no text.',
})

/** A repeated request with the same nonce in the same channel changes nothing and returns the same response. */
export const Nonce = Text({
  min: 1,
  max: maxNonce,
  description: 'A repeated request with the same nonce has no effect; up to 64 characters.',
})

/** `POST /api/channels/:id/messages` → 201 Message. Embeds and components are for bots. */
export const CreateMessageBody = Type.Object(
  {
    content: Type.Optional(Content),
    embeds: Type.Optional(EmbedsInput),
    components: Type.Optional(ComponentsInput),
    allowedMentions: Type.Optional(AllowedMentionsInput),
    nonce: Type.Optional(Nonce),
  },
  closed('A new message. Only bots may send embeds and components.'),
)
export type CreateMessageBody = Static<typeof CreateMessageBody>

/** `PATCH /api/channels/:id/messages/:messageId`, and of responses → 200 Message. Changes the fields in the body (bots/callback-response). */
export const UpdateMessageBody = Type.Object(
  {
    content: Type.Optional(Content),
    embeds: Type.Optional(EmbedsInput),
    components: Type.Optional(ComponentsInput),
    allowedMentions: Type.Optional(AllowedMentionsInput),
  },
  closed('The fields to change; null and [] clear a field.'),
)
export type UpdateMessageBody = Static<typeof UpdateMessageBody>
