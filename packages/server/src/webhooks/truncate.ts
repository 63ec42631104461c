import type { Embed } from '@gatehouse/protocol/embeds'
import { maxEmbedTotal } from '@gatehouse/protocol/limits'
import { codePoints, isLonger } from '@gatehouse/protocol/text'

/** Trims the text and shortens it to `max` code points, the last of which is then `…`. */
export function truncate(text: string, max: number): string {
  // First cut, so that a very long text is not trimmed and split as a whole.
  const trimmed = truncateUnits(text, 4 * max + 1024).trim()
  if (!isLonger(trimmed, max)) return trimmed
  const cut = [...trimmed].slice(0, max - 1).join('')
  // In Markdown, half of an escape would be shown.
  return `${cut.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1').trimEnd()}…`
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
 * precedence. Embeds without content are removed.
 */
export function fitEmbeds(embeds: readonly Embed[]): Embed[] {
  let remaining = maxEmbedTotal
  function shorten(text: string | undefined): string | undefined {
    if (text === undefined || remaining <= 0) return undefined
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
      if (size > remaining) return false
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
