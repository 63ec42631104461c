import type { Embed } from '@gatehouse/protocol/embeds'
import { maxEmbedTotal } from '@gatehouse/protocol/limits'
import { codePoints, cutText, isLonger } from '@gatehouse/protocol/text'

/** Trims the text and shortens it to `max` code points, the last of which is then `…`. */
export function truncate(text: string, max: number): string {
  // First cut, so that a very long text is not trimmed and split as a whole.
  const trimmed = truncateUnits(text, 4 * max + 1024).trim()
  if (!isLonger(trimmed, max)) return trimmed
  const cut = cutText(trimmed, max - 1)
  // In Markdown, half of an escape would be shown.
  return `${cut.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1').trimEnd()}…`
}

/**
 * Collects what a message contains and is not shown, for the delivery log (webhooks/slack-unknown-blocks): types of
 * blocks, and texts and lists that were cut.
 */
export type Dropped = Set<string>

/** As `truncate`, and notes in `dropped` that the text called `name` was cut. */
export function truncateNoted(text: string, max: number, dropped: Dropped, name: string): string {
  const fitted = truncate(text, max)
  if (isLonger(text.trim(), max)) dropped.add(`the end of ${name} (after ${max} characters)`)
  return fitted
}

/** The first `max` items. Notes in `dropped` that the list called `name` was cut. */
export function firstNoted<T>(items: readonly T[], max: number, dropped: Dropped, name: string): T[] {
  if (items.length > max) dropped.add(`${name} after the first ${max}`)
  return items.slice(0, max)
}

/** For the delivery log. Null if all is shown. */
export function describeDropped(dropped: Dropped): string | null {
  return dropped.size === 0 ? null : `Not shown, or only as text: ${[...dropped].slice(0, 20).join(', ')}.`
}

/**
 * The first `units` UTF-16 code units. Half of a surrogate pair at the end becomes U+FFFD. Call this before splitting a
 * long text.
 */
export function truncateUnits(text: string, units: number): string {
  return text.length <= units ? text : text.slice(0, units).toWellFormed()
}

/**
 * Shortens texts and removes fields so that all embeds together have at most 6000 characters. Earlier embeds take
 * precedence. Embeds without content are removed. Notes in `dropped` that something was cut.
 */
export function fitEmbeds(embeds: readonly Embed[], dropped: Dropped): Embed[] {
  let remaining = maxEmbedTotal
  const noteCut = () => dropped.add(`the end of the embeds (after ${maxEmbedTotal} characters)`)
  function shorten(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    if (isLonger(text.trim(), Math.max(0, remaining))) noteCut()
    if (remaining <= 0) return undefined
    const fitted = truncate(text, remaining)
    remaining -= codePoints(fitted)
    return fitted
  }

  return embeds.flatMap(embed => {
    const { title, description, author, footer, fields, ...rest } = embed
    const fitted: Embed = { ...rest }
    const name = shorten(author?.name)
    if (author !== undefined && name !== undefined) fitted.author = { ...author, name }
    const fittedTitle = shorten(title)
    if (fittedTitle !== undefined) fitted.title = fittedTitle
    const fittedDescription = shorten(description)
    if (fittedDescription !== undefined) fitted.description = fittedDescription
    const fittedFields = (fields ?? []).filter(field => {
      const size = codePoints(field.name) + codePoints(field.value)
      if (size > remaining) {
        noteCut()
        return false
      }
      remaining -= size
      return true
    })
    if (fittedFields.length > 0) fitted.fields = fittedFields
    const text = shorten(footer?.text)
    if (footer !== undefined && text !== undefined) fitted.footer = { ...footer, text }
    const hasContent = Object.keys(fitted).some(
      key => key !== 'color' && key !== 'timestamp' && key !== 'url',
    )
    return hasContent ? [fitted] : []
  })
}
