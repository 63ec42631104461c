import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { maxEmbedTotal } from '@gatehouse/protocol/limits'
import { checkText, cleaners } from '@gatehouse/protocol/text'
import { truncateUnits } from '../truncate.ts'
import { invalidPayload } from './slack-errors.ts'

/**
 * Reads a string, number or boolean as text, because programs send all of them (webhooks/slack-shapes). Returns '' for
 * anything else. Throws `invalid_payload` for U+0000 and lone surrogates. Only the first 24,000 UTF-16 units are
 * converted, so that a body of 1 MiB takes little time.
 */
export function readSlackText(object: JsonObject, key: string): string {
  const text = readTypedText(object, key)
  return text.trim() === '' ? '' : text
}

/** As `readSlackText`, also for white space. */
export function readTypedText(object: JsonObject, key: string): string {
  const value = object[key]
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') return ''
  const { violation } = checkText(text, Infinity, cleaners.keep)
  if (violation) throw invalidPayload(key, violation.message)
  return truncateUnits(text, 4 * maxEmbedTotal)
}

/** Reads the objects of an array; null, '' and an absent member are an empty array. Throws `invalid_payload`. */
export function readSlackObjects(object: JsonObject, key: string): JsonObject[] {
  const value = object[key]
  if (value === undefined || value === null || value === '') return []
  if (!Array.isArray(value)) throw invalidPayload(key, 'must be an array')
  return value.filter(isJsonObject)
}
