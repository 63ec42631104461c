import type { Embed } from '@gatehouse/protocol/embeds'
import { maxEmbedTotal } from '@gatehouse/protocol/limits'
import { codePoints, isLonger } from '@gatehouse/protocol/text'

/** At most `max` code points; where more were there, the last of them is `…`. Trimmed. */
export function cut(text: string, max: number): string {
  const trimmed = head(text, 4 * max + 1024).trim()
  if (!isLonger(trimmed, max)) return trimmed
  return `${[...trimmed]
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`
}

/** The first `units` of UTF-16 at most, with no half of a pair at the end: a megabyte need not be taken apart to be cut. */
export function head(text: string, units: number): string {
  return text.length <= units ? text : text.slice(0, units).toWellFormed()
}

/** Cuts texts and leaves fields out, from the first card on, so that all cards together hold no more than they may. */
export function fitCards(cards: readonly Embed[]): Embed[] {
  let left = maxEmbedTotal
  function take(text: string | undefined): string | undefined {
    if (text === undefined || left <= 0) return undefined
    const taken = cut(text, left)
    left -= codePoints(taken)
    return taken
  }

  return cards.flatMap(card => {
    const { title, description, author, footer, fields, ...rest } = card
    const fitted: Embed = { ...rest }
    const name = take(author?.name)
    if (author !== undefined && name !== undefined) fitted.author = { ...author, name }
    const shownTitle = take(title)
    if (shownTitle !== undefined) fitted.title = shownTitle
    const shownDescription = take(description)
    if (shownDescription !== undefined) fitted.description = shownDescription
    const shownFields = (fields ?? []).filter(field => {
      const size = codePoints(field.name) + codePoints(field.value)
      if (size > left) return false
      left -= size
      return true
    })
    if (shownFields.length > 0) fitted.fields = shownFields
    const text = take(footer?.text)
    if (footer !== undefined && text !== undefined) fitted.footer = { ...footer, text }
    const isShown = Object.keys(fitted).some(key => key !== 'color' && key !== 'timestamp' && key !== 'url')
    return isShown ? [fitted] : []
  })
}
