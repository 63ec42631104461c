import { setImmediate as pause } from 'node:timers/promises'
import { decodeUtf8, parseJsonText } from '../../http/json.ts'
import { invalidField } from '../discord/discord-errors.ts'

// Bytes or characters between two pauses, so that other requests wait for some milliseconds only.
const sliceLength = 256 * 1024
const listsPerSlice = 1000

const prefix = 'payload='

/**
 * Parses an event of up to 8 MiB: JSON, or a form with `payload`. The names of changed files, which no message shows,
 * are removed before parsing: GitHub sends up to 3,000 for each commit. Throws `body_too_large` if more than 50,000
 * values remain.
 */
export async function parseEvent(body: Uint8Array): Promise<unknown> {
  const isForm = Buffer.from(body.subarray(0, prefix.length)).toString('latin1') === prefix
  if (!isForm && !/^[\s\ufeff]*\{/.test(Buffer.from(body.subarray(0, 64)).toString())) {
    throw invalidField(
      ['payload'],
      'required',
      'must be JSON, in the body or in the field "payload" of a form',
    )
  }
  const json = isForm ? await decodeFormValue(body.subarray(prefix.length)) : body
  const text = decodeUtf8(json)
  await pause()
  const reduced = await removeFileLists(text)
  await pause()
  return parseJsonText(reduced, { tooManyValues: 'body_too_large' })
}

/** The value up to the next `&` (WHATWG URL §5.1). */
async function decodeFormValue(bytes: Uint8Array): Promise<Uint8Array> {
  const end = bytes.indexOf(0x26)
  const value = end < 0 ? bytes : bytes.subarray(0, end)
  const decoded = new Uint8Array(value.length)
  let length = 0
  for (let i = 0; i < value.length; i++) {
    const byte = value[i] ?? 0
    const escaped = byte === 0x25 ? hexDigit(value[i + 1]) * 16 + hexDigit(value[i + 2]) : Number.NaN
    if (!Number.isNaN(escaped)) i += 2
    decoded[length++] = Number.isNaN(escaped) ? (byte === 0x2b ? 0x20 : byte) : escaped
    if (length % sliceLength === 0) await pause()
  }
  return decoded.subarray(0, length)
}

/** NaN if it is no hexadecimal digit. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

// Within a string, the quotes of such a key would be escaped.
const fileList = /"(?:added|removed|modified)"\s*:\s*\[/g

/** Replaces each list of names by an empty one. A list of anything else stays. */
async function removeFileLists(text: string): Promise<string> {
  const kept: string[] = []
  let from = 0
  let nextPause = listsPerSlice
  for (const { 0: start, index } of text.matchAll(fileList)) {
    if (--nextPause === 0) {
      await pause()
      nextPause = listsPerSlice
    }
    const begin = index + start.length
    if (begin < from) continue
    const end = await findEndOfStrings(text, begin)
    if (end === undefined) continue
    kept.push(text.slice(from, begin))
    from = end
  }
  return kept.join('') + text.slice(from)
}

/** The index of the `]` after strings, commas and white space; undefined if something else precedes it. */
async function findEndOfStrings(text: string, begin: number): Promise<number | undefined> {
  let nextPause = begin + sliceLength
  let inString = false
  for (let at = begin; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') inString = !inString
    else if (inString) at += character === '\\' ? 1 : 0
    else if (character === ']') return at
    else if (!', \t\r\n'.includes(character)) return undefined
    if (at < nextPause) continue
    await pause()
    nextPause = at + sliceLength
  }
  return undefined
}
