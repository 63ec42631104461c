import {
  boolean,
  type Library,
  list,
  numberText,
  object,
  option,
  snowflake,
  text,
  unsignedInteger,
} from './shapes.ts'

// Derived from Rapptz/discord.py 2.2.2 and 2.7.1: discord/webhook/async_.py and sync.py, message.py, user.py, embeds.py,
// errors.py, utils.py.

// `datetime.fromisoformat` before Python 3.11: 3 or 6 fractional digits and no `Z`.
const timestamp = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3}|\\.\\d{6})?([+-]\\d\\d:\\d\\d)?$',
}

// `BaseUser._update` requires these members. The avatar becomes a part of the URL of an image.
const user = object(
  {
    id: snowflake,
    username: text,
    discriminator: text,
    avatar: option({ type: 'string', pattern: '^\\w+$' }),
  },
  { bot: boolean, public_flags: unsignedInteger },
)

const embed = object(
  {},
  {
    type: text,
    title: text,
    description: text,
    url: text,
    color: unsignedInteger,
    timestamp,
    footer: object({ text }),
    image: object({ url: text }),
    thumbnail: object({ url: text }),
    author: object({ name: text }),
    fields: list(object({ name: text, value: text }, { inline: boolean })),
  },
)

export const discordPy: Library = {
  name: 'discord.py',
  webhook: object(
    { id: snowflake, type: unsignedInteger },
    {
      channel_id: snowflake,
      guild_id: snowflake,
      name: option(text),
      avatar: option({ type: 'string', pattern: '^\\w+$' }),
      token: text,
    },
  ),
  message: object(
    { id: snowflake, type: unsignedInteger, content: text, channel_id: snowflake, author: user },
    {
      webhook_id: snowflake,
      attachments: { type: 'array', maxItems: 0 },
      components: { type: 'array', maxItems: 0 },
      embeds: list(embed),
      mentions: list(user),
      mention_roles: list(snowflake),
      mention_everyone: boolean,
      pinned: boolean,
      tts: boolean,
      flags: unsignedInteger,
      timestamp,
      edited_timestamp: option(timestamp),
    },
  ),
  error: object({ code: unsignedInteger, message: text }, { errors: { type: 'object' } }),
  rateLimited: object({ retry_after: { type: 'number' } }),
  // It compares the whole header: with a parameter it does not parse the body.
  headers: object(
    { 'content-type': { type: 'string', enum: ['application/json'] } },
    {
      'x-ratelimit-remaining': numberText,
      'x-ratelimit-reset': numberText,
      'x-ratelimit-reset-after': numberText,
    },
  ),
  // Without `Via` it raises an error instead of waiting.
  rateLimitedHeaders: object({ via: { type: 'string', minLength: 1 } }),
}
