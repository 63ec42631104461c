import type { Static } from 'typebox'
import { ComponentsInput, Row } from './components.ts'
import { Embed, EmbedsInput } from './embeds.ts'
import { Id, Timestamp } from './ids.ts'
import { maxContent, maxNonce } from './limits.ts'
import { AllowedMentionsInput, Mentions } from './mentions.ts'
import { closed, Nullable, OneOf } from './schema.ts'
import { Text } from './text.ts'
import { Type } from './type.ts'
import { InteractionUser } from './users.ts'

/** Who wrote a message: a person, a bot, or a webhook, whose id is the author's too (webhooks/message-object). */
export const MessageAuthor = Type.Object(
  {
    id: Id,
    username: Type.String(),
    displayName: Type.String(),
    avatar: Nullable(Type.String(), {
      description: 'Path on the service, or URL for a webhook; null for none.',
    }),
    bot: Type.Boolean(),
    webhookId: Type.Optional(Id),
  },
  closed('Who wrote the message.'),
)
export type MessageAuthor = Static<typeof MessageAuthor>

export const InteractionType = OneOf(['command', 'component'])
export type InteractionType = Static<typeof InteractionType>

/** Which use of a command or button a message answers; `name` is the command's, or the button's customId (bots/callback-response). */
export const MessageInteraction = Type.Object(
  { id: Id, type: InteractionType, name: Type.String(), user: InteractionUser },
  closed('Which use of a command or button it answers.'),
)
export type MessageInteraction = Static<typeof MessageInteraction>

export const MessageState = OneOf(['sent', 'deferred', 'expired'], {
  description: '`deferred`: a placeholder; `expired`: one that was never filled.',
})
export type MessageState = Static<typeof MessageState>

export const Message = Type.Object(
  {
    id: Id,
    channelId: Id,
    serverId: Nullable(Id, { description: 'Null in a direct message.' }),
    author: MessageAuthor,
    content: Type.String(),
    embeds: Type.Array(Embed),
    components: Type.Array(Row),
    mentions: Mentions,
    createdAt: Timestamp,
    editedAt: Nullable(Timestamp),
    state: MessageState,
    interaction: Type.Optional(MessageInteraction),
    ephemeral: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'Whether only you can see it. It is not stored.',
      }),
    ),
  },
  closed('A message.'),
)
export type Message = Static<typeof Message>

/** Text of a message; whether it shows anything is for `checkContent` to say. */
export const Content = Nullable(Text({ max: maxContent }), {
  description: 'Up to 2000 characters; null is none.',
})

/** A repeat with the same nonce in the same channel changes nothing and answers the same. */
export const Nonce = Text({
  min: 1,
  max: maxNonce,
  description: 'Makes a repeat harmless; up to 64 characters.',
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
  closed('A new message; embeds and components for bots only.'),
)
export type CreateMessageBody = Static<typeof CreateMessageBody>

/** `PATCH /api/channels/:id/messages/:messageId`, and of responses → 200 Message. What is named changes (bots/callback-response). */
export const UpdateMessageBody = Type.Object(
  {
    content: Type.Optional(Content),
    embeds: Type.Optional(EmbedsInput),
    components: Type.Optional(ComponentsInput),
    allowedMentions: Type.Optional(AllowedMentionsInput),
  },
  closed('What changes; null and [] empty it.'),
)
export type UpdateMessageBody = Static<typeof UpdateMessageBody>
