import { maxJsonDepth, maxJsonValues } from '@gatehouse/protocol/limits'
import { AppError } from '../errors/app-error.ts'

/** Returns undefined for an empty body. Throws 400 `malformed_json` unless it is JSON in UTF-8 within its limits. */
export function parseJson(body: Uint8Array): unknown {
  return body.length === 0 ? undefined : parseJsonText(decodeUtf8(body))
}

interface JsonOptions {
  /** The error for more than 50,000 values. */
  tooManyValues?: 'malformed_json' | 'body_too_large'
}

/** As `parseJson`, for a text that is not empty. */
export function parseJsonText(text: string, { tooManyValues = 'malformed_json' }: JsonOptions = {}): unknown {
  limitStructure(text, tooManyValues)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not JSON.', { cause })
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Throws 400 `malformed_json` for invalid UTF-8, also in a form: it has no separate code. */
export function decodeUtf8(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not UTF-8.', { cause })
  }
}

/**
 * Counts the levels and the values before parsing. Recursive code could overflow the stack on a value that is nested
 * too deeply, and parsing many values holds the event loop much longer than parsing long ones (limits/event-loop).
 */
function limitStructure(text: string, tooManyValues: 'malformed_json' | 'body_too_large'): void {
  const mayBeDeep = hasMoreThan(text, '{', maxJsonDepth / 2) || hasMoreThan(text, '[', maxJsonDepth / 2)
  if (!mayBeDeep && !hasMoreThan(text, ',', maxJsonValues - maxJsonDepth)) return
  let depth = 0
  let values = 0
  let inString = false
  // It ends at the first value too many: what follows may be 8 MiB.
  for (let i = 0; i < text.length && values <= maxJsonValues; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 0x5c) i++
      else if (c === 0x22) inString = false
    } else if (c === 0x22) inString = true
    else if (c === 0x2c) values++
    else if (c === 0x7b || c === 0x5b) {
      values++
      if (++depth > maxJsonDepth) {
        throw new AppError('malformed_json', `The body is nested deeper than ${maxJsonDepth} levels.`)
      }
    } else if (c === 0x7d || c === 0x5d) depth--
  }
  if (values > maxJsonValues) {
    throw new AppError(tooManyValues, `The body has more than ${maxJsonValues} values.`)
  }
}

/** A fast pre-check with `indexOf`: most bodies have too few brackets and commas to exceed a limit. */
function hasMoreThan(text: string, character: '{' | '[' | ',', max: number): boolean {
  let found = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    if (++found > max) return true
  }
  return false
}
