import { isMembers, type Members } from '@gatehouse/protocol/members'
import { isSound } from '@gatehouse/protocol/text'
import { checkUrl } from '@gatehouse/protocol/urls'
import { head } from '../cut.ts'

const nothing: Members = {}
// More than a card can hold.
const maxUnits = 20_000

/** A member that is an object; an empty one where it is not. What GitHub sends is read as if anybody had sent it. */
export function part(from: Members, ...keys: string[]): Members {
  let found = from
  for (const key of keys) {
    const value = found[key]
    if (!isMembers(value)) return nothing
    found = value
  }
  return found
}

/** Text or number as text; `''` where it is neither, or cannot be kept. */
export function words(from: Members, key: string): string {
  const value = from[key]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  const text = head(value, maxUnits)
  return isSound(text) ? text.trim() : ''
}

export function link(from: Members, key: string): string | undefined {
  return checkUrl(from[key], key).url
}

export function parts(from: Members, key: string): Members[] {
  const value = from[key]
  return Array.isArray(value) ? value.filter(isMembers) : []
}

/** Words that stand in a link or in code, so that they end neither. */
export function quoted(text: string): string {
  return text.replace(/[\\[\]()`*_~<>|]/g, '\\$&')
}
