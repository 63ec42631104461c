import { custom, description, type InferOutput, picklist, pipe, unknown } from 'valibot'
import { Embed, ProxyUrl, WebhookEmbedInput } from './embeds.ts'
import { DiscordErrorCode } from './errors.ts'
import { Id, Timestamp } from './ids.ts'
import { toBoolean } from './json-object.ts'
import * as limits from './limits.ts'
import { WebhookAllowedMentions } from './mentions.ts'
import { User } from './users.ts'
import {
  boolean,
  constant,
  converted,
  described,
  integer,
  jsonText,
  keywords,
  list,
  looseObject,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  string,
  text,
} from './wire.ts'

/** The webhook as the management routes return it. */
export const Webhook = object(
  {
    id: described(Id, 'The id of the webhook.'),
    channelId: described(Id, 'The id of the channel that receives the messages.'),
    serverId: described(Id, 'The id of the server.'),
    name: string('The name of the sender, unless a message has another one.'),
    avatar: nullable(
      string(),
      'An http or https URL, or the path of an uploaded picture on the service; null if there is none.',
    ),
    avatarProxyUrl: ProxyUrl,
    token: nullable(
      string(),
      'The secret part of `url`; null for everyone but `createdBy`, and if the key of the service was lost.',
    ),
    url: nullable(
      string(undefined, { format: 'uri' }),
      'Anyone with this URL can send messages; null if `token` is null.',
    ),
    applicationId: nullable(Id, 'The application whose bot created the webhook; null if a person did.'),
    createdBy: described(User, 'The user who created the webhook, or who last replaced its token.'),
    createdAt: described(Timestamp, 'When the webhook was created.'),
    lastUsedAt: nullable(Timestamp, 'When a post last succeeded; null if none did.'),
  },
  'A URL that sends messages to a channel.',
)
export type Webhook = InferOutput<typeof Webhook>

const WebhookName = text({
  min: 1,
  max: limits.maxWebhookName,
  description: 'The name of the sender: 1 to 80 characters.',
  clean: 'name',
})
/** The operation checks the text. */
const Avatar = nullable(
  keywords(text({ max: limits.maxBodyBytes }), { format: 'uri' }),
  'An http or https URL, or a PNG, JPEG, GIF or WebP image as data URI; "" and null remove it.',
)

/** `POST /api/channels/:channelId/webhooks` → 201 Webhook. */
export const CreateWebhookBody = object({ name: WebhookName, avatar: optional(Avatar) }, 'A new webhook.')
export type CreateWebhookBody = InferOutput<typeof CreateWebhookBody>

/**
 * `PATCH /api/channels/:channelId/webhooks/:id` → Webhook. `channelId` moves it within its server (webhooks/managing).
 */
export const UpdateWebhookBody = object(
  {
    name: optional(WebhookName),
    avatar: optional(Avatar),
    channelId: optional(described(Id, 'Moves the webhook to this channel of its server.')),
  },
  'The fields to change.',
)
export type UpdateWebhookBody = InferOutput<typeof UpdateWebhookBody>

/** An entry of `GET /api/channels/:channelId/webhooks/:id/deliveries`: the result of one request. */
export const WebhookDelivery = object(
  {
    id: described(Id, 'The id of the entry.'),
    at: described(Timestamp, 'When the request was answered.'),
    route: oneOf(['message', 'slack', 'github'], 'The format of the request: `message` is that of Discord.'),
    status: integer('The HTTP status of the response.'),
    messageId: nullable(Id, 'The message that was created; null if there is none.'),
    reason: nullable(
      string(),
      'Why the request failed or created no message, or what of it is not shown; null if it succeeded.',
    ),
    field: nullable(
      string(),
      'The first invalid field of the body: `embeds[0].title`; null if there is none.',
    ),
    errors: list(
      object(
        {
          field: string('The path of the field; empty for the whole body.'),
          reason: string('What is wrong.'),
        },
        'An invalid field.',
      ),
      'Every invalid field, up to 50.',
      { max: limits.maxDeliveryErrors },
    ),
    body: nullable(string(), 'The first 1024 bytes of a rejected body; null if there is none.'),
    bodyBytes: nullable(integer(), 'The size of a rejected body: `body` was cut if it is more than 1024.'),
    contentType: nullable(string(), 'The header Content-Type of a rejected request, up to 200 characters.'),
  },
  'The result of one request to the webhook.',
)
export type WebhookDelivery = InferOutput<typeof WebhookDelivery>

/**
 * The body of Discord's Execute Webhook, for the API reference. The route reads each member itself, because it accepts
 * JSON, forms and multipart bodies, ignores unknown keys (webhooks/files-and-unknown-keys) and returns Discord's
 * errors.
 */
export const WebhookMessageBody = openObject(
  {
    content: optional(nullable(string(undefined, { maxLength: limits.maxContent }), 'The text.')),
    username: optional(
      nullable(
        string(undefined, { maxLength: limits.maxWebhookName }),
        'The name of the sender of this message.',
      ),
    ),
    avatar_url: optional(
      nullable(
        string(undefined, { format: 'uri', maxLength: limits.maxUrl }),
        'The avatar of this message: http or https; "" is absent.',
      ),
    ),
    embeds: optional(
      nullable(
        list(WebhookEmbedInput, 'Up to 10 embeds; content or one embed is required.', {
          max: limits.maxEmbeds,
        }),
      ),
    ),
    allowed_mentions: optional(nullable(WebhookAllowedMentions)),
  },
  'A message; other keys are ignored.',
)
export type WebhookMessageBody = InferOutput<typeof WebhookMessageBody>

const { username, avatar_url, ...edited } = WebhookMessageBody.entries

/** The fields that `PATCH …/messages/:messageId` changes. `null` and `[]` clear a field. */
export const WebhookMessageEdit = openObject(edited, 'The fields to change; other keys are ignored.')
export type WebhookMessageEdit = InferOutput<typeof WebhookMessageEdit>

/** The query of Execute Webhook. The last value counts, and an empty one is false (webhooks/wait). */
export const WaitQuery = openObject({
  wait: optional(
    converted(
      boolean('Whether the response is the message instead of 204.'),
      given => toBoolean(Array.isArray(given) ? given.at(-1) : given) ?? false,
    ),
  ),
})

const { content } = edited
const embeds = optional(jsonText(edited.embeds, 'Up to 10 embeds as JSON.'))
const allowed_mentions = optional(jsonText(edited.allowed_mentions, 'The mentions that may notify, as JSON.'))

/** The same as a form or multipart body. */
export const WebhookMessageForm = openObject(
  {
    content,
    username,
    avatar_url,
    embeds,
    allowed_mentions,
    payload_json: optional(jsonText(WebhookMessageBody, 'The whole message as JSON.')),
  },
  'The fields of a message, or all of it in `payload_json`. Other fields are ignored.',
)

export const WebhookMessageEditForm = openObject(
  {
    content,
    embeds,
    allowed_mentions,
    payload_json: optional(jsonText(WebhookMessageEdit, 'All changes as JSON.')),
  },
  'The fields to change, or all of them in `payload_json`. Other fields are ignored.',
)

/** `PATCH /api/webhooks/:id/:token`. The route reads the body itself, in the same formats. */
export const WebhookUpdate = openObject(
  {
    name: optional(
      nullable(
        string(undefined, { minLength: 1, maxLength: limits.maxWebhookName }),
        'The new name; null keeps the name.',
      ),
    ),
  },
  'The new name; other keys are ignored.',
)

export const WebhookUpdateForm = openObject(
  {
    ...WebhookUpdate.entries,
    payload_json: optional(jsonText(WebhookUpdate, 'The new name as JSON.')),
  },
  'The new name, as a field or in `payload_json`.',
)

/** `POST /api/webhooks/:id/:token/github`. The members depend on the event. */
export const GithubEvent = looseObject({}, 'An event as GitHub sends it to a webhook.')

export const GithubForm = openObject(
  { payload: jsonText(GithubEvent, 'The event as JSON.') },
  'An event with the content type `application/x-www-form-urlencoded` of GitHub.',
)

export const GithubHeaders = openObject({
  'X-GitHub-Event': string('The type of the event: `push`.'),
  'X-GitHub-Delivery': optional(
    string('The id of the delivery. A repeated delivery within 15 minutes is ignored.'),
  ),
})

/** An image hash, as in Discord's API. Typed clients reject anything else, including a URL. */
const ImageHash = nullable(
  string(undefined, { pattern: '^(a_)?[0-9a-f]{32}$' }),
  'A hash of the image: 32 hexadecimal digits; null if there is none.',
)
const AvatarUrl = nullable(
  string(undefined, { format: 'uri' }),
  "The URL of the image, which Discord's format does not have; null if there is none.",
)
const DiscordTimestamp = (description: string) =>
  string(`${description}: \`2026-01-31T12:00:00.000000+00:00\`.`)

const Zero = (description: string) => constant(0, description)

/** A user in Discord's format. */
export const DiscordUser = object(
  {
    id: described(Id, 'The id of the user; of the author the id of the webhook.'),
    username: string('The name.'),
    avatar: ImageHash,
    avatar_url: AvatarUrl,
    bot: boolean('Whether it is a bot or a webhook.'),
    discriminator: constant('0000', 'Always 0000.'),
    // twilight requires it of a mentioned user.
    public_flags: Zero('Always 0.'),
  },
  "A user in Discord's format.",
)
export type DiscordUser = InferOutput<typeof DiscordUser>

/** An embed of a response: Discord clients require `type`. */
export const DiscordEmbed = object(
  {
    ...Embed.entries,
    type: constant('rich', 'Always `rich`.'),
    timestamp: optional(DiscordTimestamp('The time in the footer')),
  },
  "An embed in Discord's format.",
)
export type DiscordEmbed = InferOutput<typeof DiscordEmbed>

const False = constant(false, 'Always false.')
const None = list(unknown(), 'Always empty.', { max: 0 })

/** A message in Discord's format: the response with wait=true, of GET and of PATCH. */
export const DiscordMessage = object(
  {
    id: described(Id, 'The id of the message.'),
    type: Zero('Always 0: a message.'),
    channel_id: described(Id, 'The id of the channel.'),
    webhook_id: described(Id, 'The id of the webhook.'),
    application_id: optional(described(Id, 'The application whose bot created the webhook.')),
    content: string('The text; empty if there is none.'),
    author: described(DiscordUser, 'The sender.'),
    embeds: list(DiscordEmbed, 'The embeds, in their order.'),
    attachments: None,
    components: None,
    mentions: list(DiscordUser, 'The users that the message notifies.'),
    mention_roles: list(Id, 'The ids of the roles that the message notifies.'),
    mention_everyone: boolean('Whether it notifies everyone in the channel.'),
    pinned: False,
    tts: False,
    timestamp: DiscordTimestamp('When the message was sent'),
    edited_timestamp: nullable(DiscordTimestamp('When the message was last edited; null if it never was')),
    flags: Zero('Always 0.'),
  },
  "A message in Discord's format.",
)
export type DiscordMessage = InferOutput<typeof DiscordMessage>

/**
 * `GET · PATCH /api/webhooks/:id/:token`: without the user who created it, because the URL is all that the caller has.
 */
export const DiscordWebhook = object(
  {
    id: described(Id, 'The id of the webhook.'),
    type: constant(1, 'Always 1: an incoming webhook.'),
    channel_id: described(Id, 'The id of the channel that receives the messages.'),
    guild_id: described(Id, 'The id of the server.'),
    name: string('The name of the sender, unless a message has another one.'),
    avatar: ImageHash,
    avatar_url: AvatarUrl,
    token: string('The secret part of `url`.'),
    application_id: nullable(Id, 'The application whose bot created the webhook; null if a person did.'),
    url: string('Anyone with this URL can send messages.', { format: 'uri' }),
  },
  "A webhook in Discord's format.",
)
export type DiscordWebhook = InferOutput<typeof DiscordWebhook>

/** One violation, at the path of its field in `errors`. */
export interface DiscordFieldErrors {
  _errors: { code: string; message: string }[]
}

/** `{"embeds":{"0":{"title":{"_errors":[…]}}}}`: nested by field and index. */
export interface DiscordErrors {
  [member: string]: DiscordErrors | DiscordFieldErrors
}

/** The body of an error response in Discord's format. */
export const DiscordError = object(
  {
    code: pipe(
      picklist([0, ...Object.values(DiscordErrorCode)]),
      description("The error, for programs; 0 if Discord's format has no code for it."),
    ),
    message: string('The error in a sentence, for people.'),
    errors: optional(
      pipe(
        custom<DiscordErrors | DiscordFieldErrors>(() => true),
        description('With 50035, nested by field.'),
      ),
    ),
  },
  "An error in Discord's format. The code is 0 if Discord's format has none for the error; `message` has the reason.",
)
export type DiscordError = InferOutput<typeof DiscordError>

/** 429 in Discord's format (webhooks/rate-limit). */
export const DiscordRateLimit = object(
  {
    message: string('The error in a sentence, for people.'),
    retry_after: number('The seconds to wait.'),
    global: False,
  },
  'Too many requests.',
)
export type DiscordRateLimit = InferOutput<typeof DiscordRateLimit>
