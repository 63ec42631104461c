import type { Static } from 'typebox'
import { addViolation, mustBe, prefixPaths, type Violation } from './field-errors.ts'
import * as limits from './limits.ts'
import {
  isAbsent,
  isMembers,
  type Members,
  needText,
  readBoolean,
  readName,
  readText,
  readUrl,
} from './members.ts'
import { Checked, closed } from './schema.ts'
import { codePoints } from './text.ts'
import { normalizeTimestamp } from './timestamps.ts'
import { Type } from './type.ts'

const Url = Type.String({ description: 'http or https, up to 2048 characters; "" is absent.' })
const Picture = Type.Object({ url: Url }, closed('A picture.'))

/**
 * A card under a message: the compatible platform's object, its keys in snake_case in every dialect (the contract,
 * Messages). What a request may hold is for `checkEmbeds` to say: it takes any value.
 */
export const Embed = Type.Object(
  {
    title: Type.Optional(Type.String({ description: 'Up to 256 characters.' })),
    description: Type.Optional(Type.String({ description: 'Up to 4096 characters.' })),
    url: Type.Optional(Url),
    timestamp: Type.Optional(Type.String({ description: 'ISO 8601.' })),
    color: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.maxColor })),
    footer: Type.Optional(
      Type.Object(
        {
          text: Type.String({ description: 'Up to 2048 characters.' }),
          icon_url: Type.Optional(Url),
        },
        closed('The line at the foot.'),
      ),
    ),
    image: Type.Optional(Picture),
    thumbnail: Type.Optional(Picture),
    author: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'Up to 256 characters.' }),
          url: Type.Optional(Url),
          icon_url: Type.Optional(Url),
        },
        closed('The line at the head.'),
      ),
    ),
    fields: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: '1 to 256 characters.' }),
            value: Type.String({ description: '1 to 1024 characters.' }),
            inline: Type.Optional(Type.Boolean()),
          },
          closed('A name and its value.'),
        ),
        { description: 'Up to 25.' },
      ),
    ),
  },
  closed('A card under a message; other keys are ignored in a request.'),
)
export type Embed = Static<typeof Embed>

/** `embeds` of a request body: unknown until `checkEmbeds` has judged it. */
export const EmbedsInput = Checked(
  Type.Array(Embed),
  'Up to 10 embeds, 6000 characters together; null and [] are none.',
  'embeds',
)

export type EmbedRule =
  | 'too_long'
  | 'too_short'
  | 'required'
  | 'invalid_url'
  | 'invalid_type'
  | 'out_of_range'
  | 'invalid_timestamp'
  | 'empty'
  | 'total_too_long'
  | 'too_many'
  | 'invalid_text'

export type EmbedViolation = Violation<EmbedRule>

interface EmbedOptions {
  /**
   * The webhook dialect, as the programs that speak it do: a colour may be a decimal string (webhooks/bodies), a field's name or
   * value empty, and a card whose members hold nothing is left out where the message has anything else.
   */
  lenient?: boolean
  /** Whether the message has a content. */
  beside?: boolean
}

/**
 * Judges `embeds` of a message, written once for bots, callbacks and webhooks. Texts come back trimmed, timestamps in
 * UTC, and nothing but the known keys: others are ignored, never copied. null is absent anywhere, and so is `''` for a
 * text that is not required, a URL or a timestamp. Paths begin with `embeds`. `embeds` is `[]` where there are violations.
 */
export function checkEmbeds(
  value: unknown,
  options: EmbedOptions = {},
): { embeds: Embed[]; violations: EmbedViolation[] } {
  const embeds: Embed[] = []
  const violations: EmbedViolation[] = []
  if (isAbsent(value)) return { embeds, violations }
  if (!Array.isArray(value)) {
    violations.push({ path: ['embeds'], ...mustBe('array') })
    return { embeds, violations }
  }
  const count = Math.min(value.length, limits.maxEmbeds)
  if (value.length > count) {
    const message = `must have at most ${limits.maxEmbeds} embeds`
    violations.push({ path: ['embeds'], rule: 'too_many', message, limit: limits.maxEmbeds })
  }
  const lenient = options.lenient === true
  const hollow: number[] = []
  for (let i = 0; i < count; i++) {
    const before = violations.length
    const embed = readEmbed(value[i], lenient, violations)
    prefixPaths(violations, before, 'embeds', i)
    if (Object.keys(embed).length > 0) embeds.push(embed)
    else if (violations.length === before) hollow.push(i)
  }
  const anythingElse = options.beside === true || embeds.length > 0
  for (const i of hollow) {
    // Discord rejects `{}` even if the message has a content.
    if (lenient && anythingElse && Object.keys(value[i]).length > 0) continue
    addViolation(violations, { path: ['embeds', i], rule: 'empty', message: 'has nothing in it' })
  }
  if (isTotalTooLong(embeds)) {
    const message = `must have at most ${limits.maxEmbedTotal} characters over all embeds`
    violations.push({ path: ['embeds'], rule: 'total_too_long', message, limit: limits.maxEmbedTotal })
  }
  return { embeds: violations.length === 0 ? embeds : [], violations }
}

function readEmbed(value: unknown, lenient: boolean, violations: EmbedViolation[]): Embed {
  const embed: Embed = {}
  if (!isMembers(value)) {
    addViolation(violations, { path: [], ...mustBe('object') })
    return embed
  }
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
  const footer = readPart(value, 'footer', readFooter, violations)
  if (footer !== undefined) embed.footer = footer
  const image = readPart(value, 'image', readPicture, violations)
  if (image !== undefined) embed.image = image
  const thumbnail = readPart(value, 'thumbnail', readPicture, violations)
  if (thumbnail !== undefined) embed.thumbnail = thumbnail
  const author = readPart(value, 'author', readAuthor, violations)
  if (author !== undefined) embed.author = author
  const fields = readFields(value.fields, lenient, violations)
  if (fields.length > 0) embed.fields = fields
  return embed
}

/** A field that is an object. */
function readPart<Part>(
  from: Members,
  key: string,
  read: (part: Members, violations: EmbedViolation[]) => Part | undefined,
  violations: EmbedViolation[],
): Part | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (!isMembers(value)) {
    addViolation(violations, { path: [key], ...mustBe('object') })
    return undefined
  }
  const before = violations.length
  const part = read(value, violations)
  prefixPaths(violations, before, key)
  return part
}

function readPicture(part: Members, violations: EmbedViolation[]): Embed['image'] {
  const url = readUrl(part, 'url', limits.maxUrl, violations)
  return url === undefined ? undefined : { url }
}

function readFooter(part: Members, violations: EmbedViolation[]): Embed['footer'] {
  const before = violations.length
  const text = readText(part, 'text', limits.maxFooterText, violations)
  const icon = readUrl(part, 'icon_url', limits.maxUrl, violations)
  if (text === undefined) {
    if (icon !== undefined && violations.length === before) {
      addViolation(violations, { path: ['text'], rule: 'required', message: 'is required beside an icon' })
    }
    return undefined
  }
  return icon === undefined ? { text } : { text, icon_url: icon }
}

function readAuthor(part: Members, violations: EmbedViolation[]): Embed['author'] {
  const before = violations.length
  const name = readName(part, 'name', limits.maxAuthorName, violations)
  const url = readUrl(part, 'url', limits.maxUrl, violations)
  const icon = readUrl(part, 'icon_url', limits.maxUrl, violations)
  if (name === undefined) {
    if ((url !== undefined || icon !== undefined) && violations.length === before) {
      addViolation(violations, {
        path: ['name'],
        rule: 'required',
        message: 'is required beside a link or icon',
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

function readFields(
  value: unknown,
  lenient: boolean,
  violations: EmbedViolation[],
): NonNullable<Embed['fields']> {
  const fields: NonNullable<Embed['fields']> = []
  if (isAbsent(value)) return fields
  if (!Array.isArray(value)) {
    addViolation(violations, { path: ['fields'], ...mustBe('array') })
    return fields
  }
  const count = Math.min(value.length, limits.maxEmbedFields)
  if (value.length > count) {
    const message = `must have at most ${limits.maxEmbedFields} fields`
    addViolation(violations, { path: ['fields'], rule: 'too_many', message, limit: limits.maxEmbedFields })
  }
  for (let i = 0; i < count; i++) {
    const before = violations.length
    const field: unknown = value[i]
    if (isMembers(field)) {
      const name = readFieldText(field, 'name', limits.maxFieldName, lenient, violations)
      const text = readFieldText(field, 'value', limits.maxFieldValue, lenient, violations)
      const inline = readBoolean(field, 'inline', violations) ?? false
      if (name !== undefined && text !== undefined) fields.push({ name, value: text, inline })
    } else {
      addViolation(violations, { path: [], ...mustBe('object') })
    }
    prefixPaths(violations, before, 'fields', i)
  }
  return fields
}

/** `''` only where `lenient`: programs leave a place free with it. It must be there all the same. */
function readFieldText(
  field: Members,
  key: 'name' | 'value',
  max: number,
  lenient: boolean,
  violations: EmbedViolation[],
): string | undefined {
  const value = field[key]
  if (lenient && typeof value === 'string' && value.trim() === '') return ''
  return needText(field, key, max, violations)
}

function readTimestamp(value: unknown, violations: EmbedViolation[]): string | undefined {
  if (isAbsent(value)) return undefined
  const text = typeof value === 'string' ? value.trim() : undefined
  if (text === '') return undefined
  const timestamp = text === undefined ? undefined : normalizeTimestamp(text)
  if (timestamp === undefined) {
    const message = 'must be a moment in ISO 8601: 2026-01-31T12:00:00Z'
    addViolation(violations, { path: ['timestamp'], rule: 'invalid_timestamp', message })
  }
  return timestamp
}

function readColor(value: unknown, lenient: boolean, violations: EmbedViolation[]): number | undefined {
  if (isAbsent(value)) return undefined
  const color = lenient && typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof color !== 'number' || !Number.isInteger(color)) {
    addViolation(violations, { path: ['color'], ...mustBe('integer') })
    return undefined
  }
  if (color < 0 || color > limits.maxColor) {
    const message = `must be between 0 and ${limits.maxColor}`
    addViolation(violations, { path: ['color'], rule: 'out_of_range', message, limit: limits.maxColor })
    return undefined
  }
  return color
}

/** Code points are counted only where the units, which are never fewer, pass the bound. */
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
