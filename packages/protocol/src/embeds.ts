import type { Static } from 'typebox'
import { addViolation, mustBe, prefixPaths, required, type Violation } from './field-errors.ts'
import {
  isAbsent,
  isJsonObject,
  type JsonObject,
  readBoolean,
  readObjects,
  readText,
  readUrl,
  requireText,
  toBoolean,
  withNumbersAsText,
} from './json-object.ts'
import * as limits from './limits.ts'
import { closed, Described, Documented, Nullable } from './schema.ts'
import { cleaners, codePoints } from './text.ts'
import { isoTime, normalizeTimestamp } from './timestamps.ts'
import { Type } from './type.ts'

const Url = (description: string) =>
  Type.String({ format: 'uri', maxLength: limits.maxUrl, description: `${description}: http or https.` })

/** Beside the URL of a picture on another host. The service adds it to messages (webhooks/media-proxy). */
export const ProxyUrl = Type.Optional(
  Type.String({ description: 'The URL on this service that the web client loads.' }),
)

export const EmbedImage = Type.Object(
  { url: Url('The URL of the image'), proxy_url: ProxyUrl },
  closed('An image of an embed.'),
)

export const EmbedFooter = Type.Object(
  {
    text: Type.String({ maxLength: limits.maxFooterText, description: 'The text.' }),
    icon_url: Type.Optional(Url('The icon beside the text')),
    proxy_icon_url: ProxyUrl,
  },
  closed('The footer of an embed.'),
)

export const EmbedAuthor = Type.Object(
  {
    name: Type.String({ maxLength: limits.maxAuthorName, description: 'The name.' }),
    url: Type.Optional(Url('The link of the name')),
    icon_url: Type.Optional(Url('The icon beside the name')),
    proxy_icon_url: ProxyUrl,
  },
  closed('The author line of an embed.'),
)

export const EmbedField = Type.Object(
  {
    name: Type.String({ maxLength: limits.maxFieldName, description: 'The heading of the field.' }),
    value: Type.String({ maxLength: limits.maxFieldValue, description: 'The text of the field.' }),
    inline: Type.Optional(Type.Boolean({ description: 'Whether the field may be beside others.' })),
  },
  closed('A field of an embed: a name and a value.'),
)

/**
 * An embed of a message, as in Discord's API: its keys are in snake_case also in the native API. `checkEmbeds` validates the
 * embeds of a request.
 */
export const Embed = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: limits.maxEmbedTitle, description: 'The heading.' })),
    description: Type.Optional(
      Type.String({ maxLength: limits.maxEmbedDescription, description: 'The text.' }),
    ),
    url: Type.Optional(Url('The link of the title')),
    timestamp: Type.Optional(Type.String({ description: 'The time in the footer: ISO 8601 in UTC.' })),
    color: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.maxColor,
        description: 'The color of the border: 0xRRGGBB.',
      }),
    ),
    footer: Type.Optional(EmbedFooter),
    image: Type.Optional(Described(EmbedImage, 'The large image.')),
    thumbnail: Type.Optional(Described(EmbedImage, 'The small image beside the text.')),
    author: Type.Optional(EmbedAuthor),
    fields: Type.Optional(
      Type.Array(EmbedField, { maxItems: limits.maxEmbedFields, description: 'The fields.' }),
    ),
  },
  closed('An embed of a message.'),
)
export type Embed = Static<typeof Embed>

const open = (description: string) => ({ description: `${description} Other members are ignored.` })
const text = (maxLength: number, description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength }), { description }))
const UrlInput = (description: string) =>
  Type.Optional(
    Nullable(Type.String({ format: 'uri', maxLength: limits.maxUrl }), {
      description: `${description}: http or https; "" is absent.`,
    }),
  )

/** The parts of an embed of a request, for the API document. */
export const EmbedImageInput = Type.Object(
  { url: UrlInput('The URL of the image') },
  open('An image of an embed.'),
)
export const EmbedFooterInput = Type.Object(
  {
    text: text(limits.maxFooterText, 'The text; required with an icon.'),
    icon_url: UrlInput('The icon beside the text'),
  },
  open('The footer of an embed.'),
)
export const EmbedAuthorInput = Type.Object(
  {
    name: text(limits.maxAuthorName, 'The name; required with a link or icon.'),
    url: UrlInput('The link of the name'),
    icon_url: UrlInput('The icon beside the name'),
  },
  open('The author line of an embed.'),
)
export const EmbedTimestampInput = Nullable(Type.String({ maxLength: 64, pattern: `^$|${isoTime.source}` }), {
  description: 'The time in the footer: ISO 8601, `2026-01-31T12:00:00Z`; "" is absent.',
})
const ImageInput = (description: string) => Type.Optional(Nullable(EmbedImageInput, { description }))

/** `lenient`: as the webhook routes accept it (`EmbedOptions`). */
function embedInput(lenient: boolean) {
  const minLength = lenient ? 0 : 1
  const color = { minimum: 0, maximum: limits.maxColor }
  return Type.Object(
    {
      title: text(limits.maxEmbedTitle, 'The heading.'),
      description: text(limits.maxEmbedDescription, 'The text.'),
      url: UrlInput('The link of the title'),
      timestamp: Type.Optional(EmbedTimestampInput),
      color: Type.Optional(
        Type.Unsafe<number | string | null>({
          ...(lenient
            ? { type: ['integer', 'string', 'null'], ...color, pattern: '^\\d{1,16}$' }
            : { type: ['integer', 'null'], ...color }),
          description: 'The color of the border: 0xRRGGBB as a number.',
        }),
      ),
      footer: Type.Optional(Nullable(EmbedFooterInput)),
      image: ImageInput('The large image.'),
      thumbnail: ImageInput('The small image beside the text.'),
      author: Type.Optional(Nullable(EmbedAuthorInput)),
      fields: Type.Optional(
        Nullable(
          Type.Array(
            Type.Object(
              {
                name: Type.String({ minLength, maxLength: limits.maxFieldName, description: 'The heading.' }),
                value: Type.String({ minLength, maxLength: limits.maxFieldValue, description: 'The text.' }),
                inline: Type.Optional(
                  Nullable(Type.Boolean(), { description: 'Whether the field may be beside others.' }),
                ),
              },
              open('A field: a name and a value.'),
            ),
            { maxItems: limits.maxEmbedFields },
          ),
          { description: 'The fields.' },
        ),
      ),
    },
    open('An embed with at least one member.'),
  )
}

/** An embed of a request, for the API document. */
export const EmbedInput = embedInput(false)

/** An embed of a request to a webhook, for the API document. */
export const WebhookEmbedInput = embedInput(true)

/** `embeds` of a request body: unknown until `checkEmbeds` has validated it. */
export const EmbedsInput = Documented(
  Nullable(Type.Array(EmbedInput, { maxItems: limits.maxEmbeds })),
  'Up to 10 embeds, 6000 characters together; null and [] are none.',
  value => checkEmbeds(value).violations,
)

interface EmbedOptions {
  /**
   * The rules of the webhook routes: a text may be a number, and a boolean a text (webhooks/lenient-values), the name
   * or value of a field may be empty, and an embed whose members are empty is omitted if the message has other content.
   */
  lenient?: boolean
  /** Whether the message has `content`. */
  hasContent?: boolean
}

/**
 * Validates `embeds` of a message of a bot or webhook. Returns trimmed texts, timestamps in UTC, and only the known keys:
 * others are ignored. null is absent anywhere, and so is `''` for an optional text, a URL or a timestamp. Paths begin with
 * `embeds`. `embeds` is `[]` if it is absent or there are violations.
 */
export function checkEmbeds(
  value: unknown,
  options: EmbedOptions = {},
): { embeds: Embed[]; violations: Violation[] } {
  const embeds: Embed[] = []
  const violations: Violation[] = []
  if (isAbsent(value)) return { embeds, violations }
  const lenient = options.lenient === true
  const empty: { index: number; item: JsonObject }[] = []
  readObjects(value, ['embeds'], { max: limits.maxEmbeds, unit: 'embed' }, violations, (item, index) => {
    const before = violations.length
    const embed = readEmbed(item, lenient, violations)
    if (Object.keys(embed).length > 0) embeds.push(embed)
    else if (violations.length === before) empty.push({ index, item })
  })
  const hasOtherContent = options.hasContent === true || embeds.length > 0
  for (const { index, item } of empty) {
    // Discord rejects `{}` even if the message has content.
    if (lenient && hasOtherContent && Object.keys(item).length > 0) continue
    addViolation(violations, { path: ['embeds', index], code: 'empty', message: 'is empty' })
  }
  if (isTotalTooLong(embeds)) {
    const message = `must have at most ${limits.maxEmbedTotal} characters over all embeds`
    violations.push({ path: ['embeds'], code: 'total_too_long', message, max: limits.maxEmbedTotal })
  }
  return { embeds: violations.length === 0 ? embeds : [], violations }
}

function readEmbed(item: JsonObject, lenient: boolean, violations: Violation[]): Embed {
  const embed: Embed = {}
  const value = lenient ? withNumbersAsText(item, ['title', 'description']) : item
  const title = readText(value, 'title', limits.maxEmbedTitle, violations)
  if (title !== undefined) embed.title = title
  const description = readText(value, 'description', limits.maxEmbedDescription, violations)
  if (description !== undefined) embed.description = description
  const url = readUrl(value, 'url', limits.maxUrl, violations)
  if (url !== undefined) embed.url = url
  const timestamp = readTimestamp(value.timestamp, violations)
  if (timestamp !== undefined) embed.timestamp = timestamp
  const color = readColor(value.color, lenient, violations)
  if (color !== undefined) embed.color = color
  const readLenient =
    <Part>(key: string, read: (part: JsonObject, violations: Violation[]) => Part) =>
    (part: JsonObject, found: Violation[]) =>
      read(lenient ? withNumbersAsText(part, [key]) : part, found)
  const footer = readPart(value, 'footer', readLenient('text', readFooter), violations)
  if (footer !== undefined) embed.footer = footer
  const image = readPart(value, 'image', readPicture, violations)
  if (image !== undefined) embed.image = image
  const thumbnail = readPart(value, 'thumbnail', readPicture, violations)
  if (thumbnail !== undefined) embed.thumbnail = thumbnail
  const author = readPart(value, 'author', readLenient('name', readAuthor), violations)
  if (author !== undefined) embed.author = author
  const fields = readFields(value.fields, lenient, violations)
  if (fields.length > 0) embed.fields = fields
  return embed
}

/** A field that is an object. */
function readPart<Part>(
  from: JsonObject,
  key: string,
  read: (part: JsonObject, violations: Violation[]) => Part | undefined,
  violations: Violation[],
): Part | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (!isJsonObject(value)) {
    addViolation(violations, { path: [key], ...mustBe('object') })
    return undefined
  }
  const before = violations.length
  const part = read(value, violations)
  prefixPaths(violations, before, key)
  return part
}

function readPicture(part: JsonObject, violations: Violation[]): Embed['image'] {
  const url = readUrl(part, 'url', limits.maxUrl, violations)
  return url === undefined ? undefined : { url }
}

function readFooter(part: JsonObject, violations: Violation[]): Embed['footer'] {
  const before = violations.length
  const text = readText(part, 'text', limits.maxFooterText, violations)
  const icon = readUrl(part, 'icon_url', limits.maxUrl, violations)
  if (text === undefined) {
    if (icon !== undefined && violations.length === before) {
      addViolation(violations, { path: ['text'], ...required, message: 'is required with an icon' })
    }
    return undefined
  }
  return icon === undefined ? { text } : { text, icon_url: icon }
}

function readAuthor(part: JsonObject, violations: Violation[]): Embed['author'] {
  const before = violations.length
  const name = readText(part, 'name', limits.maxAuthorName, violations, cleaners.name)
  const url = readUrl(part, 'url', limits.maxUrl, violations)
  const icon = readUrl(part, 'icon_url', limits.maxUrl, violations)
  if (name === undefined) {
    if ((url !== undefined || icon !== undefined) && violations.length === before) {
      addViolation(violations, {
        path: ['name'],
        ...required,
        message: 'is required with a link or icon',
      })
    }
    return undefined
  }
  return {
    name,
    ...(url === undefined ? {} : { url }),
    ...(icon === undefined ? {} : { icon_url: icon }),
  }
}

function readFields(value: unknown, lenient: boolean, violations: Violation[]): NonNullable<Embed['fields']> {
  const fields: NonNullable<Embed['fields']> = []
  if (isAbsent(value)) return fields
  readObjects(value, ['fields'], { max: limits.maxEmbedFields, unit: 'field' }, violations, item => {
    const field = lenient
      ? { ...withNumbersAsText(item, ['name', 'value']), inline: toBoolean(item.inline) }
      : item
    const name = readFieldText(field, 'name', limits.maxFieldName, lenient, violations)
    const text = readFieldText(field, 'value', limits.maxFieldValue, lenient, violations)
    const inline = readBoolean(field, 'inline', violations) ?? false
    if (name !== undefined && text !== undefined) fields.push({ name, value: text, inline })
  })
  return fields
}

/** Returns `''` only if `lenient`, because programs use it as a spacer. The member is required in any case. */
function readFieldText(
  field: JsonObject,
  key: 'name' | 'value',
  max: number,
  lenient: boolean,
  violations: Violation[],
): string | undefined {
  const value = field[key]
  if (lenient && typeof value === 'string' && value.trim() === '') return ''
  return requireText(field, key, max, violations)
}

function readTimestamp(value: unknown, violations: Violation[]): string | undefined {
  if (isAbsent(value)) return undefined
  const text = typeof value === 'string' ? value.trim() : undefined
  if (text === '') return undefined
  const timestamp = text === undefined ? undefined : normalizeTimestamp(text)
  if (timestamp === undefined) {
    const message = 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z'
    addViolation(violations, { path: ['timestamp'], code: 'invalid_timestamp', message })
  }
  return timestamp
}

function readColor(value: unknown, lenient: boolean, violations: Violation[]): number | undefined {
  if (isAbsent(value)) return undefined
  const color =
    lenient && typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value
  if (typeof color !== 'number' || !Number.isInteger(color)) {
    addViolation(violations, { path: ['color'], ...mustBe('integer') })
    return undefined
  }
  if (color < 0 || color > limits.maxColor) {
    const message = `must be between 0 and ${limits.maxColor}`
    addViolation(violations, { path: ['color'], code: 'out_of_range', message, max: limits.maxColor })
    return undefined
  }
  return color
}

/** Counts code points only if the number of UTF-16 units, which is never smaller, exceeds the limit. */
function isTotalTooLong(embeds: readonly Embed[]): boolean {
  return (
    measure(embeds, text => text.length) > limits.maxEmbedTotal &&
    measure(embeds, codePoints) > limits.maxEmbedTotal
  )
}

function measure(embeds: readonly Embed[], length: (text: string) => number): number {
  let total = 0
  for (const { title, description, fields, footer, author } of embeds) {
    if (title !== undefined) total += length(title)
    if (description !== undefined) total += length(description)
    if (footer !== undefined) total += length(footer.text)
    if (author !== undefined) total += length(author.name)
    if (fields !== undefined) for (const { name, value } of fields) total += length(name) + length(value)
  }
  return total
}
