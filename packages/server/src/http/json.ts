import { maxJsonDepth } from '@gatehouse/protocol/limits'
import { AppError } from '../kit/app-error.ts'

/** Returns undefined for an empty body. Throws 400 `malformed_json` unless it is JSON in UTF-8 with at most 32 levels. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  const text = decodeUtf8(body)
  limitDepth(text)
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

/** Counts the levels before parsing: recursive code could overflow the stack on a value that is nested too deeply. */
function limitDepth(text: string): void {
  if (!hasMoreThan(text, '{', maxJsonDepth / 2) && !hasMoreThan(text, '[', maxJsonDepth / 2)) return
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 0x5c) i++
      else if (c === 0x22) inString = false
    } else if (c === 0x22) inString = true
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxJsonDepth) {
        throw new AppError('malformed_json', `The body is nested deeper than ${maxJsonDepth} levels.`)
      }
    } else if (c === 0x7d || c === 0x5d) depth--
  }
}

/** A fast pre-check with `indexOf`: most bodies have too few brackets to exceed the depth. */
function hasMoreThan(text: string, bracket: '{' | '[', max: number): boolean {
  let found = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
    if (++found > max) return true
  }
  return false
}
