import {
  boolean,
  discriminator,
  type Library,
  list,
  numberText,
  object,
  option,
  snowflake,
  text,
  unsignedInteger,
} from './shapes.ts'

// Derived from serenity-rs/serenity 0.12: src/model/webhook.rs, channel/message.rs, channel/embed.rs, user.rs, misc.rs,
// timestamp.rs, src/http/error.rs and ratelimiting.rs.

const imageHash = { type: 'string', pattern: '^(a_)?[0-9a-f]{32}$' }
const timestamp = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
}

const user = object(
  { id: snowflake, username: text },
  {
    avatar: option(imageHash),
    discriminator: option(discriminator),
    bot: boolean,
    public_flags: unsignedInteger,
  },
)

const image = object({ url: text })

const embed = object(
  {},
  {
    type: text,
    title: text,
    description: text,
    url: text,
    color: unsignedInteger,
    timestamp,
    footer: object({ text }, { icon_url: text }),
    image,
    thumbnail: image,
    author: object({ name: text }, { url: text, icon_url: text }),
    fields: list(object({ name: text, value: text }, { inline: boolean })),
  },
)

// `loop_errors`: nested objects with arrays named `_errors`.
const errors = {
  $id: 'serenity-errors',
  type: 'object',
  properties: { _errors: list(object({ code: text, message: text })) },
  additionalProperties: { $ref: 'serenity-errors' },
}

export const serenity: Library = {
  name: 'serenity',
  webhook: object(
    { id: snowflake, type: { ...unsignedInteger, maximum: 255 } },
    {
      guild_id: option(snowflake),
      channel_id: option(snowflake),
      name: option(text),
      avatar: option(imageHash),
      token: option(text),
      application_id: option(snowflake),
      url: option(text),
    },
  ),
  message: object(
    {
      id: snowflake,
      type: { ...unsignedInteger, maximum: 255 },
      channel_id: snowflake,
      author: user,
      content: text,
      timestamp,
      tts: boolean,
      mention_everyone: boolean,
      mentions: list(user),
      mention_roles: list(snowflake),
      attachments: { type: 'array', maxItems: 0 },
      embeds: list(embed),
      pinned: boolean,
    },
    {
      edited_timestamp: option(timestamp),
      webhook_id: option(snowflake),
      flags: option(unsignedInteger),
      components: { type: 'array', maxItems: 0 },
    },
  ),
  error: object({ code: { type: 'integer' }, message: text }, { errors }),
  rateLimited: {},
  headers: object(
    {},
    {
      'x-ratelimit-limit': { type: 'string', pattern: '^[0-9]+$' },
      'x-ratelimit-remaining': { type: 'string', pattern: '^[0-9]+$' },
      'x-ratelimit-reset': numberText,
      'x-ratelimit-reset-after': numberText,
    },
  ),
  // It waits for the time in this header. Without it, the request fails.
  rateLimitedHeaders: object({ 'retry-after': numberText }),
}
