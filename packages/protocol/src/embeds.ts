import * as v from 'valibot'
import { outOfRange, required, type Violation } from './field-errors.ts'
import { isAbsent, isJsonObject, numberToText, toBoolean, withNumbersAsText } from './json-object.ts'
import * as limits from './limits.ts'
import { parse, parsePartly } from './parse.ts'
import { codePoints } from './text.ts'
import { isoTime, normalizeTimestamp } from './timestamps.ts'
import {
  boolean,
  converted,
  described,
  integer,
  keywords,
  list,
  nullable,
  nullish,
  object,
  openObject,
  optional,
  readString,
  rule,
  type Schema,
  string,
  text,
  url,
} from './wire.ts'

/** Beside the URL of a picture on another host. The service adds it to messages (webhooks/media-proxy). */
export const ProxyUrl = optional(string('The URL on this service that the web client loads.'))

/**
 * `response`: a message of the service. `request`: an embed of a bot; null is absent, and so is `''` for an optional
 * text, a URL or a timestamp. `webhook`: with the lenient forms of the webhook routes: a text may be a number, and a
 * boolean a text (webhooks/lenient-values).
 */
type EmbedMode = 'response' | 'request' | 'webhook'

/** An optional text: in requests also null or empty. */
function words(mode: EmbedMode, max: number, description: string, clean: 'trim' | 'name' = 'trim') {
  if (mode === 'response') return optional(string(description, { maxLength: max }))
  return nullish(readText(mode, text({ max, clean, empty: 'absent' })), description)
}

/** The text that a part of an embed must have (`part`). */
function heading(mode: EmbedMode, max: number, description: string, ifOther: string, clean?: 'name') {
  const schema =
    mode === 'response'
      ? string(`${description}.`, { maxLength: max })
      : words(mode, max, `${description}; required with ${ifOther}.`, clean)
  // A part without it is absent, so all values have it.
  return schema as v.StringSchema<undefined>
}

function readText<S extends Schema>(mode: EmbedMode, schema: S): S {
  return mode === 'webhook' ? converted(schema, numberToText) : schema
}

function link(mode: EmbedMode, description: string) {
  if (mode !== 'response') return nullish(url(`${description}: http or https; "" is absent.`))
  return optional(linkText(description))
}

function linkText(description: string) {
  return string(`${description}: http or https.`, { format: 'uri', maxLength: limits.maxUrl })
}

/** The member of a response with the URL of a picture on this service. */
function proxied<const Name extends string>(mode: EmbedMode, name: Name) {
  return (mode === 'response' ? { [name]: ProxyUrl } : {}) as Record<Name, typeof ProxyUrl>
}

/** An object. In a request, its unknown members are ignored. */
function openObjectIn<const Entries extends v.ObjectEntries>(
  mode: EmbedMode,
  entries: Entries,
  description: string,
) {
  return mode === 'response'
    ? object(entries, description)
    : openObject(entries, `${description} Other members are ignored.`)
}

/** A part of an embed. In a request, a part without its first member is absent, but not if it has another one. */
function part<const Entries extends v.ObjectEntries>(mode: EmbedMode, entries: Entries, description: string) {
  const schema = openObjectIn(mode, entries, description)
  if (mode === 'response') return schema
  const [main = ''] = Object.keys(entries)
  const isMissing = (given: object) => !Object.hasOwn(given, main)
  const rules = v.pipe(
    schema as v.GenericSchema<object>,
    rule(given =>
      isMissing(given) && Object.keys(given).length > 0
        ? [{ path: [main], ...required, message: 'is required with the other members' }]
        : [],
    ),
    v.transform(given => (isMissing(given) ? undefined : given)),
  )
  return rules as unknown as typeof schema
}

function image(mode: EmbedMode) {
  const text = 'The URL of the image'
  // An image without it is absent, so all values have it.
  const source = (mode === 'response' ? linkText(text) : link(mode, text)) as v.StringSchema<undefined>
  return part(mode, { url: source, ...proxied(mode, 'proxy_url') }, 'An image of an embed.')
}

function footer(mode: EmbedMode) {
  const entries = {
    text: heading(mode, limits.maxFooterText, 'The text', 'an icon'),
    icon_url: link(mode, 'The icon beside the text'),
    ...proxied(mode, 'proxy_icon_url'),
  }
  return part(mode, entries, 'The footer of an embed.')
}

function author(mode: EmbedMode) {
  const entries = {
    name: heading(mode, limits.maxAuthorName, 'The name', 'a link or icon', 'name'),
    url: link(mode, 'The link of the name'),
    icon_url: link(mode, 'The icon beside the name'),
    ...proxied(mode, 'proxy_icon_url'),
  }
  return part(mode, entries, 'The author line of an embed.')
}

/** The name or the value of a field. Programs use an empty one as a spacer. */
function fieldText(mode: EmbedMode, max: number, response: string, request: string) {
  if (mode === 'response') return string(response, { maxLength: max })
  return text({ min: 0, max, description: request })
}

function field(mode: EmbedMode) {
  const inline = boolean('Whether the field may be beside others.')
  const schema = openObjectIn(
    mode,
    {
      name: fieldText(mode, limits.maxFieldName, 'The heading of the field.', 'The heading.'),
      value: fieldText(mode, limits.maxFieldValue, 'The text of the field.', 'The text.'),
      inline: mode === 'response' ? optional(inline) : nullish(inline),
    },
    mode === 'response' ? 'A field of an embed: a name and a value.' : 'A field: a name and a value.',
  )
  if (mode === 'response') return schema
  const withInline = v.pipe(
    schema,
    v.transform(given => ({ ...given, inline: given.inline ?? false })),
  )
  return (mode === 'webhook'
    ? converted(withInline, readLenientField)
    : withInline) as unknown as typeof schema
}

function readLenientField(given: unknown): unknown {
  if (!isJsonObject(given)) return given
  const { name, value, inline } = given
  return {
    name: numberToText(name) ?? undefined,
    value: numberToText(value) ?? undefined,
    inline: toBoolean(inline),
  }
}

export const EmbedImage = image('response')
export const EmbedFooter = footer('response')
export const EmbedAuthor = author('response')
export const EmbedField = field('response')

/** The parts of an embed of a request. */
export const EmbedImageInput = image('request')
export const EmbedFooterInput = footer('request')
export const EmbedAuthorInput = author('request')
export const EmbedTimestampInput = nullish(
  readString(readTimestamp, 'The time in the footer: ISO 8601, `2026-01-31T12:00:00Z`; "" is absent.', {
    maxLength: 64,
    pattern: `^$|${isoTime.source}`,
  }),
)

const color = described(
  keywords(v.pipe(integer(), rule(findColorViolation)), { minimum: 0, maximum: limits.maxColor }),
  'The color of the border: 0xRRGGBB.',
)
const colorInput = nullish(color, 'The color of the border: 0xRRGGBB as a number.')
const lenientColor = nullish(
  keywords(converted(color, readDecimal), { type: ['integer', 'string'], pattern: '^\\d{1,16}$' }),
  'The color of the border: 0xRRGGBB as a number.',
)

/** The parts of an embed in each mode. */
const partsOf = {
  response: {
    timestamp: optional(string('The time in the footer: ISO 8601 in UTC.')),
    color: optional(color),
    footer: optional(EmbedFooter),
    image: optional(described(EmbedImage, 'The large image.')),
    thumbnail: optional(described(EmbedImage, 'The small image beside the text.')),
    author: optional(EmbedAuthor),
  },
  request: {
    timestamp: EmbedTimestampInput,
    color: colorInput,
    footer: nullish(EmbedFooterInput),
    image: nullish(EmbedImageInput, 'The large image.'),
    thumbnail: nullish(EmbedImageInput, 'The small image beside the text.'),
    author: nullish(EmbedAuthorInput),
  },
  webhook: {
    timestamp: EmbedTimestampInput,
    color: lenientColor,
    footer: nullish(converted(EmbedFooterInput, given => withNumberAsText(given, 'text'))),
    image: nullish(EmbedImageInput, 'The large image.'),
    thumbnail: nullish(EmbedImageInput, 'The small image beside the text.'),
    author: nullish(converted(EmbedAuthorInput, given => withNumberAsText(given, 'name'))),
  },
} as const satisfies Record<EmbedMode, object>

function embed(mode: EmbedMode) {
  const { timestamp, color, footer, image, thumbnail, author } = partsOf[mode] as (typeof partsOf)['response']
  const fields = list(mode === 'response' ? EmbedField : field(mode), 'The fields.', {
    max: limits.maxEmbedFields,
    unit: 'field',
  })
  return openObjectIn(
    mode,
    {
      title: words(mode, limits.maxEmbedTitle, 'The heading.'),
      description: words(mode, limits.maxEmbedDescription, 'The text.'),
      url: link(mode, 'The link of the title'),
      timestamp,
      color,
      footer,
      image,
      thumbnail,
      author,
      fields: mode === 'response' ? optional(fields) : withoutEmptyList(fields),
    },
    mode === 'response' ? 'An embed of a message.' : 'An embed with at least one member.',
  )
}

/** A list that is absent if it is empty. */
function withoutEmptyList<Item extends Schema>(items: v.ArraySchema<Item, undefined>) {
  const schema = v.pipe(
    items,
    v.transform(given => (given.length > 0 ? given : undefined)),
  )
  return nullish(schema as unknown as typeof items)
}

/**
 * An embed of a message, as in Discord's API: its keys are in snake_case also in the native API. `EmbedsInput`
 * validates those of a request of the native API, `checkEmbeds` those of a webhook and of the SDK.
 */
export const Embed = embed('response')
export type Embed = v.InferOutput<typeof Embed>

/** An embed of a request. */
export const EmbedInput = embed('request')

/** An embed of a request to a webhook. */
export const WebhookEmbedInput = embed('webhook')

const listRule = { max: limits.maxEmbeds, unit: 'embed' }
export const embedsText = 'Up to 10 embeds, 6000 characters together; null and [] are none.'
const empty = { code: 'empty', message: 'is empty' } as const

/** `embeds` of a request body: null is an empty list. */
export const EmbedsInput = v.pipe(
  nullable(
    v.pipe(
      list(
        v.pipe(
          EmbedInput,
          rule(given => (isEmpty(given) ? [{ path: [], ...empty }] : [])),
        ),
        embedsText,
        listRule,
      ),
      rule(findTotalViolation, { always: true }),
    ),
  ),
  v.transform(embeds => embeds ?? []),
)

const webhookEmbeds = v.pipe(
  list(WebhookEmbedInput, embedsText, listRule),
  rule(findTotalViolation, { always: true }),
)

interface EmbedOptions {
  /** The rules of the webhook routes. An embed whose members are empty is omitted if the message has other content. */
  lenient?: boolean
  /** Whether the message has `content`. */
  hasContent?: boolean
}

/**
 * Validates `embeds` of a message of a bot or webhook. Returns trimmed texts, timestamps in UTC, and only the known
 * keys: others are ignored. Paths begin with `embeds`. `embeds` is `[]` if it is absent or there are violations.
 */
export function checkEmbeds(
  value: unknown,
  { lenient = false, hasContent = false }: EmbedOptions = {},
): { embeds: Embed[]; violations: Violation[] } {
  if (isAbsent(value)) return { embeds: [], violations: [] }
  const { value: embeds = [], violations } = lenient
    ? readWebhookEmbeds(value, hasContent)
    : parse(EmbedsInput, value)
  return {
    embeds,
    violations: violations.map(({ path, ...rest }) => ({ path: ['embeds', ...path], ...rest })),
  }
}

/** Omits embeds whose members are empty. If the message has no other content, they are violations. */
function readWebhookEmbeds(input: unknown, hasContent: boolean) {
  const { value, violations } = parsePartly(webhookEmbeds, input)
  const embeds = (value ?? []) as (Embed | undefined)[]
  const invalid = new Set(violations.map(({ path }) => path[0]))
  const hasOther = hasContent || embeds.some(embed => embed !== undefined && !isEmpty(embed))
  for (const [index, embed] of embeds.entries()) {
    if (embed === undefined || !isEmpty(embed) || invalid.has(index)) continue
    // Discord rejects `{}` even if the message has content.
    const isLiteral = Object.keys((input as object[])[index] ?? {}).length === 0
    if (!hasOther || isLiteral) violations.push({ path: [index], ...empty })
  }
  if (violations.length > 0) return { violations }
  return { value: embeds.filter(embed => embed !== undefined).filter(embed => !isEmpty(embed)), violations }
}

/** Whether an embed has no member with a value. A part that is invalid may have none. */
function isEmpty(embed: Embed): boolean {
  return Object.values(embed).every(part => typeof part === 'object' && Object.keys(part).length === 0)
}

function withNumberAsText(given: unknown, key: string): unknown {
  return isJsonObject(given) ? withNumbersAsText(given, [key]) : given
}

function readTimestamp(given: unknown) {
  const text = typeof given === 'string' ? given.trim() : undefined
  if (text === '') return { value: undefined }
  const value = text === undefined ? undefined : normalizeTimestamp(text)
  if (value !== undefined) return { value }
  const message = 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z'
  return { violation: { code: 'invalid_timestamp', message } as const }
}

/** Clients know that a number is not negative: the violation has no `min`. */
function findColorViolation(color: number): Violation[] {
  if (color >= 0 && color <= limits.maxColor) return []
  const { min: _, ...violation } = outOfRange(0, limits.maxColor)
  return [{ path: [], ...violation }]
}

function readDecimal(given: unknown): unknown {
  return typeof given === 'string' && /^\s*-?\d{1,16}\s*$/.test(given) ? Number(given) : given
}

/** Counts code points only if the number of UTF-16 units, which is never smaller, exceeds the limit. */
function findTotalViolation(embeds: readonly (Embed | undefined)[]): Violation[] {
  const max = limits.maxEmbedTotal
  if (measure(embeds, text => text.length) <= max || measure(embeds, codePoints) <= max) return []
  return [
    { path: [], code: 'total_too_long', message: `must have at most ${max} characters over all embeds`, max },
  ]
}

/** Of invalid embeds, the texts that could be read count. */
function measure(embeds: readonly (Embed | undefined)[], length: (text: string) => number): number {
  let total = 0
  const add = (text: string | undefined) => {
    if (text !== undefined) total += length(text)
  }
  for (const embed of embeds) {
    add(embed?.title)
    add(embed?.description)
    add(embed?.footer?.text)
    add(embed?.author?.name)
    for (const field of embed?.fields ?? []) {
      add(field?.name)
      add(field?.value)
    }
  }
  return total
}
