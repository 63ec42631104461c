import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { maxHeaderBytes } from '@gatehouse/protocol/limits'

/**
 * A path with its query for the parameter of another URL, compressed and in base64url. Percent-encoding would grow with
 * each nested URL, and a `state` of 8,000 bytes would no longer fit the headers (sign-in/state).
 */
export function packPath(path: string): string {
  return deflateRawSync(path).toString('base64url')
}

/** The path that `packPath` packed, or a plain path, which starts with a slash. Undefined for all other texts. */
export function unpackPath(text: string): string | undefined {
  if (text.startsWith('/')) return text
  try {
    return inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: maxHeaderBytes }).toString()
  } catch {
    return undefined
  }
}
