import { maxJsonDepth } from '@gatehouse/protocol/limits'
import { AppError } from '../kit/app-error.ts'

/** Undefined for an empty body; AppError `malformed_json` where it is not JSON in UTF-8 of at most 32 levels. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  const text = decodeUtf8(body)
  refuseDepth(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not JSON.', { cause })
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Throws 400 `malformed_json` where it is not UTF-8. */
export function decodeUtf8(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch (cause) {
    throw new AppError('malformed_json', 'The body is not UTF-8.', { cause })
  }
}

/** Looks at the text before it is parsed: what is parsed but too deep could overflow the stack later. */
function refuseDepth(text: string): void {
  if (!opensMoreThan(text, '{', maxJsonDepth / 2) && !opensMoreThan(text, '[', maxJsonDepth / 2)) return
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

/** The first look, by the runtime's own search: most bodies open too few brackets to be deep. */
function opensMoreThan(text: string, bracket: '{' | '[', most: number): boolean {
  let found = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
    if (++found > most) return true
  }
  return false
}
