import { splitCode } from '@gatehouse/protocol/code'

/** Parts of a text in Markdown. The parts with an odd index are spoilers, without their `||`. */
export function splitSpoilers(text: string): string[] {
  if (!text.includes('||')) return [text]
  // `||` in code, and after a backslash, is text.
  const masked = splitCode(text)
    .map(part => (part.fence > 0 ? 'x'.repeat(part.text.length) : part.text))
    .join('')
    .replace(/\\[\s\S]/g, 'xx')
  const parts: string[] = []
  let from = 0
  for (const { 1: inner = '', index } of masked.matchAll(/\|\|([\s\S]+?)\|\|/g)) {
    if (inner.trim() === '') continue
    parts.push(text.slice(from, index), text.slice(index + 2, index + 2 + inner.length))
    from = index + inner.length + 4
  }
  return [...parts, text.slice(from)]
}
