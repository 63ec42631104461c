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

// Derived from twilight-rs/twilight, twilight-http 0.17.1 and twilight-model 0.17.1: channel/webhook/mod.rs,
// channel/message/mod.rs, mention.rs, embed/, user/mod.rs, util/image_hash.rs, util/datetime/mod.rs, api_error.rs and
// response/future.rs.

const imageHash = { type: 'string', pattern: '^(a_)?[0-9a-f]{32}$' }
// RFC 3339, at least as long as `2021-01-01T01:01:01+00:00`.
const timestamp = {
  type: 'string',
  minLength: 25,
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
}

const user = object(
  { id: snowflake, username: text, discriminator },
  { avatar: option(imageHash), bot: boolean, public_flags: option(unsignedInteger) },
)

// The flags of a mentioned user are required, unlike those of an author.
const mention = object(
  { id: snowflake, username: text, discriminator, public_flags: unsignedInteger },
  { avatar: option(imageHash), bot: boolean },
)

const image = object({ url: text })

const embed = object(
  { type: text },
  {
    title: option(text),
    description: option(text),
    url: option(text),
    color: option({ ...unsignedInteger, maximum: 0xff_ff_ff_ff }),
    timestamp: option(timestamp),
    footer: option(object({ text }, { icon_url: option(text) })),
    image: option(image),
    thumbnail: option(image),
    author: option(object({ name: text }, { url: option(text), icon_url: option(text) })),
    fields: list(object({ name: text, value: text }, { inline: boolean })),
  },
)

export const twilight: Library = {
  name: 'twilight-http',
  webhook: object(
    { id: snowflake, channel_id: snowflake },
    {
      type: { ...unsignedInteger, maximum: 255 },
      avatar: option(imageHash),
      guild_id: option(snowflake),
      name: option(text),
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
      mentions: list(mention),
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
  error: object({ code: unsignedInteger, message: text }),
  rateLimited: object({ global: boolean, message: text, retry_after: { type: 'number' } }),
  headers: {},
  // Without a scope it ignores the other headers and retries immediately until it succeeds.
  rateLimitedHeaders: object({
    'x-ratelimit-scope': { type: 'string', enum: ['user'] },
    'x-ratelimit-bucket': text,
    'x-ratelimit-limit': { type: 'string', pattern: '^[0-9]{1,5}$' },
    'x-ratelimit-remaining': { type: 'string', pattern: '^[0-9]{1,5}$' },
    'x-ratelimit-reset-after': numberText,
  }),
}
