import type { Static } from 'typebox'
import { Embed, ProxyUrl, WebhookEmbedInput } from './embeds.ts'
import { DiscordErrorCode } from './errors.ts'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { WebhookAllowedMentions } from './mentions.ts'
import { closed, Described, JsonText, Nullable, OneOf, ShownAs, Unchecked } from './schema.ts'
import { Name, Text } from './text.ts'
import { Type } from './type.ts'
import { User } from './users.ts'

/** The webhook as the management routes return it. */
export const Webhook = Type.Object(
  {
    id: Described(Id, 'The id of the webhook.'),
    channelId: Described(Id, 'The id of the channel that receives the messages.'),
    serverId: Described(Id, 'The id of the server.'),
    name: Type.String({ description: 'The name of the sender, unless a message has another one.' }),
    avatar: Nullable(Type.String({ format: 'uri' }), {
      description: 'An http or https URL; null if there is none.',
    }),
    avatarProxyUrl: ProxyUrl,
    token: Nullable(Type.String(), {
      description:
        'The secret part of `url`; null for everyone but `createdBy`, and if the key of the service was lost.',
    }),
    url: Nullable(Type.String({ format: 'uri' }), {
      description: 'Anyone with this URL can send messages; null if `token` is null.',
    }),
    createdBy: Described(User, 'The user who created the webhook, or who last replaced its token.'),
    createdAt: Described(Timestamp, 'When the webhook was created.'),
    lastUsedAt: Nullable(Timestamp, { description: 'When a post last succeeded; null if none did.' }),
  },
  closed('A URL that sends messages to a channel.'),
)
export type Webhook = Static<typeof Webhook>

const WebhookName = Name({
  min: 1,
  max: limits.maxWebhookName,
  description: 'The name of the sender: 1 to 80 characters.',
})
const AvatarInput = Text({ max: limits.maxUrl })
const Avatar = Nullable(ShownAs(AvatarInput, Type.Unsafe<string>({ ...AvatarInput, format: 'uri' })), {
  description: 'An http or https URL; "" and null remove it.',
})

/** `POST /api/channels/:channelId/webhooks` → 201 Webhook. */
export const CreateWebhookBody = Type.Object(
  { name: WebhookName, avatar: Type.Optional(Avatar) },
  closed('A new webhook.'),
)
export type CreateWebhookBody = Static<typeof CreateWebhookBody>

/** `PATCH /api/channels/:channelId/webhooks/:id` → Webhook. `channelId` moves it within its server (webhooks/managing). */
export const UpdateWebhookBody = Type.Object(
  {
    name: Type.Optional(WebhookName),
    avatar: Type.Optional(Avatar),
    channelId: Type.Optional(Described(Id, 'Moves the webhook to this channel of its server.')),
  },
  closed('The fields to change.'),
)
export type UpdateWebhookBody = Static<typeof UpdateWebhookBody>

/** An entry of `GET /api/channels/:channelId/webhooks/:id/deliveries`: the result of one request. */
export const WebhookDelivery = Type.Object(
  {
    id: Described(Id, 'The id of the entry.'),
    at: Described(Timestamp, 'When the request was answered.'),
    route: OneOf(['message', 'slack', 'github'], {
      description: 'The format of the request: `message` is that of Discord.',
    }),
    status: Type.Integer({ description: 'The HTTP status of the response.' }),
    messageId: Nullable(Id, { description: 'The message that was created; null if there is none.' }),
    reason: Nullable(Type.String(), {
      description:
        'Why the request failed or created no message, or what of it is not shown; null if it succeeded.',
    }),
    field: Nullable(Type.String(), {
      description: 'The invalid field of the body: `embeds[0].title`; null if there is none.',
    }),
    body: Nullable(Type.String(), {
      description: 'The first 1024 bytes of a rejected body; null if there is none.',
    }),
  },
  closed('The result of one request to the webhook.'),
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

/**
 * The body of Discord's Execute Webhook, for the API reference. The route reads each member itself, because it accepts JSON,
 * forms and multipart bodies, ignores unknown keys (webhooks/files-and-unknown-keys) and returns Discord's errors.
 */
export const WebhookMessageBody = Type.Object(
  {
    content: Type.Optional(
      Nullable(Type.String({ maxLength: limits.maxContent }), { description: 'The text.' }),
    ),
    username: Type.Optional(
      Nullable(Type.String({ maxLength: limits.maxWebhookName }), {
        description: 'The name of the sender of this message.',
      }),
    ),
    avatar_url: Type.Optional(
      Nullable(Type.String({ format: 'uri', maxLength: limits.maxUrl }), {
        description: 'The avatar of this message: http or https; "" is absent.',
      }),
    ),
    embeds: Type.Optional(
      Nullable(Type.Array(WebhookEmbedInput, { maxItems: limits.maxEmbeds }), {
        description: 'Up to 10 embeds; content or one embed is required.',
      }),
    ),
    allowed_mentions: Type.Optional(Nullable(WebhookAllowedMentions)),
  },
  { description: 'A message; other keys are ignored.' },
)
export type WebhookMessageBody = Static<typeof WebhookMessageBody>

/** The fields that `PATCH …/messages/:messageId` changes. `null` and `[]` clear a field. */
export const WebhookMessageEdit = Type.Pick(WebhookMessageBody, ['content', 'embeds', 'allowed_mentions'], {
  description: 'The fields to change; other keys are ignored.',
})
export type WebhookMessageEdit = Static<typeof WebhookMessageEdit>

/** The query of Execute Webhook, for the API document: the route accepts more values (webhooks/wait). */
export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Unchecked(Type.Boolean({ description: 'Whether the response is the message instead of 204.' })),
  ),
})

const { content, username, avatar_url, ...lists } = WebhookMessageBody.properties
const embeds = Type.Optional(JsonText(lists.embeds, 'Up to 10 embeds as JSON.'))
const allowed_mentions = Type.Optional(
  JsonText(lists.allowed_mentions, 'The mentions that may notify, as JSON.'),
)

/** The same as a form or multipart body. */
export const WebhookMessageForm = Type.Object(
  {
    content,
    username,
    avatar_url,
    embeds,
    allowed_mentions,
    payload_json: Type.Optional(JsonText(WebhookMessageBody, 'The whole message as JSON.')),
  },
  { description: 'The fields of a message, or all of it in `payload_json`. Other fields are ignored.' },
)

export const WebhookMessageEditForm = Type.Object(
  {
    content,
    embeds,
    allowed_mentions,
    payload_json: Type.Optional(JsonText(WebhookMessageEdit, 'All changes as JSON.')),
  },
  { description: 'The fields to change, or all of them in `payload_json`. Other fields are ignored.' },
)

/** `PATCH /api/webhooks/:id/:token`. The route reads the body itself, in the same formats. */
export const WebhookUpdate = Type.Object(
  {
    name: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: limits.maxWebhookName }), {
        description: 'The new name; null keeps the name.',
      }),
    ),
  },
  { description: 'The new name; other keys are ignored.' },
)

export const WebhookUpdateForm = Type.Object(
  {
    ...WebhookUpdate.properties,
    payload_json: Type.Optional(JsonText(WebhookUpdate, 'The new name as JSON.')),
  },
  { description: 'The new name, as a field or in `payload_json`.' },
)

/** `POST /api/webhooks/:id/:token/github`. The members depend on the event. */
export const GithubEvent = Type.Object(
  {},
  { additionalProperties: true, description: 'An event as GitHub sends it to a webhook.' },
)

export const GithubForm = Type.Object(
  { payload: JsonText(GithubEvent, 'The event as JSON.') },
  { description: 'An event with the content type `application/x-www-form-urlencoded` of GitHub.' },
)

export const GithubHeaders = Type.Object({
  'X-GitHub-Event': Type.String({ description: 'The type of the event: `push`.' }),
  'X-GitHub-Delivery': Type.Optional(
    Type.String({ description: 'The id of the delivery. A repeated delivery within 15 minutes is ignored.' }),
  ),
})

/** An image hash, as in Discord's API. Typed clients reject anything else, including a URL. */
const ImageHash = Nullable(Type.String({ pattern: '^(a_)?[0-9a-f]{32}$' }), {
  description: 'A hash of the image: 32 hexadecimal digits; null if there is none.',
})
const AvatarUrl = Nullable(Type.String({ format: 'uri' }), {
  description: "The URL of the image, which Discord's format does not have; null if there is none.",
})
const DiscordTimestamp = (description: string) =>
  Type.String({ description: `${description}: \`2026-01-31T12:00:00.000000+00:00\`.` })

const Zero = (description: string) => Type.Unsafe<0>({ type: 'integer', enum: [0], description })

/** A user in Discord's format. */
export const DiscordUser = Type.Object(
  {
    id: Described(Id, 'The id of the user; of the author the id of the webhook.'),
    username: Type.String({ description: 'The name.' }),
    avatar: ImageHash,
    avatar_url: AvatarUrl,
    bot: Type.Boolean({ description: 'Whether it is a bot or a webhook.' }),
    discriminator: Type.Unsafe<'0000'>({ type: 'string', enum: ['0000'], description: 'Always 0000.' }),
    // twilight requires it of a mentioned user.
    public_flags: Zero('Always 0.'),
  },
  closed("A user in Discord's format."),
)
export type DiscordUser = Static<typeof DiscordUser>

/** An embed of a response: Discord clients require `type`. */
export const DiscordEmbed = Type.Object(
  {
    ...Embed.properties,
    type: Type.Unsafe<'rich'>({ type: 'string', enum: ['rich'], description: 'Always `rich`.' }),
    timestamp: Type.Optional(DiscordTimestamp('The time in the footer')),
  },
  closed("An embed in Discord's format."),
)
export type DiscordEmbed = Static<typeof DiscordEmbed>

const False = Type.Unsafe<false>({ type: 'boolean', enum: [false], description: 'Always false.' })
const None = Type.Unsafe<never[]>({
  type: 'array',
  items: {},
  maxItems: 0,
  description: 'Always empty.',
})

/** A message in Discord's format: the response with wait=true, of GET and of PATCH. */
export const DiscordMessage = Type.Object(
  {
    id: Described(Id, 'The id of the message.'),
    type: Zero('Always 0: a message.'),
    channel_id: Described(Id, 'The id of the channel.'),
    webhook_id: Described(Id, 'The id of the webhook.'),
    content: Type.String({ description: 'The text; empty if there is none.' }),
    author: Described(DiscordUser, 'The sender.'),
    embeds: Type.Array(DiscordEmbed, { description: 'The embeds, in their order.' }),
    attachments: None,
    components: None,
    mentions: Type.Array(DiscordUser, { description: 'The users that the message notifies.' }),
    mention_roles: Type.Array(Id, { description: 'The ids of the roles that the message notifies.' }),
    mention_everyone: Type.Boolean({ description: 'Whether it notifies everyone in the channel.' }),
    pinned: False,
    tts: False,
    timestamp: DiscordTimestamp('When the message was sent'),
    edited_timestamp: Nullable(DiscordTimestamp('When the message was last edited; null if it never was')),
    flags: Zero('Always 0.'),
  },
  closed("A message in Discord's format."),
)
export type DiscordMessage = Static<typeof DiscordMessage>

/** `GET · PATCH /api/webhooks/:id/:token`: without the user who created it, because the URL is all that the caller has. */
export const DiscordWebhook = Type.Object(
  {
    id: Described(Id, 'The id of the webhook.'),
    type: Type.Unsafe<1>({ type: 'integer', enum: [1], description: 'Always 1: an incoming webhook.' }),
    channel_id: Described(Id, 'The id of the channel that receives the messages.'),
    guild_id: Described(Id, 'The id of the server.'),
    name: Type.String({ description: 'The name of the sender, unless a message has another one.' }),
    avatar: ImageHash,
    avatar_url: AvatarUrl,
    token: Type.String({ description: 'The secret part of `url`.' }),
    application_id: Type.Null({ description: 'Always null.' }),
    url: Type.String({ format: 'uri', description: 'Anyone with this URL can send messages.' }),
  },
  closed("A webhook in Discord's format."),
)
export type DiscordWebhook = Static<typeof DiscordWebhook>

/** One violation, at the path of its field in `errors`. */
export interface DiscordFieldErrors {
  _errors: { code: string; message: string }[]
}

/** `{"embeds":{"0":{"title":{"_errors":[…]}}}}`: nested by field and index. */
export interface DiscordErrors {
  [member: string]: DiscordErrors | DiscordFieldErrors
}

/** The body of an error response in Discord's format. */
export const DiscordError = Type.Object(
  {
    code: Type.Unsafe<DiscordErrorCode | 0>({
      type: 'integer',
      enum: [0, ...Object.values(DiscordErrorCode)],
      description: "The error, for programs; 0 if Discord's format has no code for it.",
    }),
    message: Type.String({ description: 'The error in a sentence, for people.' }),
    errors: Type.Optional(
      Type.Unsafe<DiscordErrors | DiscordFieldErrors>({ description: 'With 50035, nested by field.' }),
    ),
  },
  closed(
    "An error in Discord's format. The code is 0 if Discord's format has none for the error; `message` has the reason.",
  ),
)
export type DiscordError = Static<typeof DiscordError>

/** 429 in Discord's format (webhooks/rate-limit). */
export const DiscordRateLimit = Type.Object(
  {
    message: Type.String({ description: 'The error in a sentence, for people.' }),
    retry_after: Type.Number({ description: 'The seconds to wait.' }),
    global: False,
  },
  closed('Too many requests.'),
)
export type DiscordRateLimit = Static<typeof DiscordRateLimit>
