import { maxEmbedTotal } from '@gatehouse/protocol/limits'
import { isMembers, type Members } from '@gatehouse/protocol/members'
import { isSound } from '@gatehouse/protocol/text'
import { checkUrl } from '@gatehouse/protocol/urls'
import { head } from '../cut.ts'
import { invalidPayload } from './refusal.ts'

/**
 * Text, number or truth as text (D37: the formats in use are loose); undefined for anything else and for nothing.
 * Throws `invalid_payload` for U+0000 and lone surrogates.
 */
function readWords(from: Members, key: string): string | undefined {
  const value = from[key]
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string' || text.trim() === '') return undefined
  if (!isSound(text)) throw invalidPayload(key, 'must not contain U+0000 or half of a surrogate pair')
  return text
}

/** As much of the text as any place can hold, with room for what markup takes away; `''` where there is none. */
export function readHead(from: Members, key: string): string {
  return head(readWords(from, key) ?? '', 4 * maxEmbedTotal)
}

/** http and https alone; anything else is dropped. */
export function readLink(from: Members, key: string): string | undefined {
  return checkUrl(from[key], key).url
}

/** A list of objects; null and absent are empty. Throws `invalid_payload` for what is neither. */
export function readObjects(from: Members, key: string): Members[] {
  const value = from[key]
  if (value === undefined || value === null || value === '') return []
  if (!Array.isArray(value)) throw invalidPayload(key, 'must be a list')
  return value.filter(isMembers)
}
