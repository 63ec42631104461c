/** An object with these members and any others. */
function object(required: Record<string, object>, optional: Record<string, object> = {}): object {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } }
}

function orNull(schema: object): object {
  return { anyOf: [{ type: 'null' }, schema] }
}

function list(items: object): object {
  return { type: 'array', items }
}

function pattern(source: string): object {
  return { type: 'string', pattern: source }
}

const text = { type: 'string' }
const boolean = { type: 'boolean' }
const unsignedInteger = { type: 'integer', minimum: 0 }
const u8 = { ...unsignedInteger, maximum: 255 }
const none = { type: 'array', maxItems: 0 }
/** A `u64` other than 0. */
const snowflake = pattern('^[1-9][0-9]{0,19}$')
const imageHash = pattern('^(a_)?[0-9a-f]{32}$')
/** `datetime.fromisoformat` before Python 3.11 needs 3 or 6 fractional digits and no `Z`; serenity needs the offset. */
const timestamp = pattern(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?[+-]\d\d:\d\d$`)
const number = pattern(String.raw`^[0-9]+(\.[0-9]+)?$`)
const u16 = pattern('^[0-9]{1,5}$')

const user = {
  id: snowflake,
  username: text,
  // discord.py.
  avatar: orNull(imageHash),
  // discord.py and twilight.
  discriminator: pattern('^[0-9]{1,4}$'),
}

const image = object({ url: text })

const embed = object(
  // twilight.
  { type: text },
  {
    title: text,
    description: text,
    url: text,
    color: { ...unsignedInteger, maximum: 0xff_ff_ff_ff },
    timestamp,
    footer: object({ text }, { icon_url: text }),
    image,
    thumbnail: image,
    author: object({ name: text }, { url: text, icon_url: text }),
    fields: list(object({ name: text, value: text }, { inline: boolean })),
  },
)

/** GET and PATCH of the webhook URL. */
const webhook = object(
  { id: snowflake, type: u8, channel_id: snowflake },
  {
    guild_id: snowflake,
    name: orNull(text),
    avatar: orNull(imageHash),
    token: text,
    application_id: orNull(snowflake),
    url: orNull(text),
  },
)

/** POST with `wait=true`, GET and PATCH of a message. */
const message = object(
  {
    id: snowflake,
    type: u8,
    channel_id: snowflake,
    author: object(user, { bot: boolean, public_flags: unsignedInteger }),
    content: text,
    timestamp,
    tts: boolean,
    mention_everyone: boolean,
    // twilight requires the flags of a mentioned user, unlike those of an author.
    mentions: list(object({ ...user, public_flags: unsignedInteger }, { bot: boolean })),
    mention_roles: list(snowflake),
    attachments: none,
    embeds: list(embed),
    pinned: boolean,
  },
  { edited_timestamp: orNull(timestamp), webhook_id: snowflake, flags: unsignedInteger, components: none },
)

/** The body of 400 and 404. serenity expects nested objects with arrays named `_errors`. */
const error = object(
  { code: unsignedInteger, message: text },
  {
    errors: {
      $id: 'errors',
      type: 'object',
      properties: { _errors: list(object({ code: text, message: text })) },
      additionalProperties: { $ref: 'errors' },
    },
  },
)

/** The body of 429: all members for twilight, `retry_after` for discord.py. */
const rateLimited = object({ global: boolean, message: text, retry_after: { type: 'number' } })

/** The headers of every response. */
const headers = object(
  // discord.py compares the whole header: with a parameter it does not parse the body.
  { 'content-type': { type: 'string', enum: ['application/json'] } },
  {
    'x-ratelimit-limit': u16,
    'x-ratelimit-remaining': u16,
    'x-ratelimit-reset': number,
    'x-ratelimit-reset-after': number,
  },
)

/** The headers of 429. */
const rateLimitedHeaders = object({
  // Without it, discord.py raises an error instead of waiting.
  via: { type: 'string', minLength: 1 },
  // serenity waits for this time. Without it, the request fails.
  'retry-after': number,
  // Without a scope, twilight ignores the others and retries immediately until it succeeds.
  'x-ratelimit-scope': { type: 'string', enum: ['user'] },
  'x-ratelimit-bucket': text,
  'x-ratelimit-limit': u16,
  'x-ratelimit-remaining': u16,
  'x-ratelimit-reset-after': number,
})

/**
 * JSON Schemas (2020-12) of the responses that discord.py 2.7.1, serenity 0.12 and twilight-http 0.17.1 all parse,
 * derived from their source. A comment names the client that alone requires something.
 */
export const typedClients = { webhook, message, error, rateLimited, headers, rateLimitedHeaders }
