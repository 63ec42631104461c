import { invalid } from '../errors/app-error.ts'
import { decodeUtf8 } from './json.ts'

/** A part of a `multipart/form-data` body (RFC 7578). */
export interface Part {
  name: string
  /** Undefined for a field that is not a file. */
  filename: string | undefined
  value: Uint8Array
}

const maxParts = 100
const maxHeaderBytes = 8 * 1024
const lineBreak = Buffer.from('\r\n')
const headerEnd = '\r\n\r\n'
// RFC 2046 §5.1.1: 1 to 70 characters.
const boundaryParameter = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i
const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im
const nameParameter = /;\s*name=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i
const filenameParameter = /;\s*filename\*?=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i

/**
 * Parses a complete body in memory. Throws 400 `validation_failed` for a truncated body, a missing boundary, more than
 * 100 parts or a part header of more than 8 KiB.
 */
export function parseMultipart(bytes: Uint8Array, contentType: string): Part[] {
  const [, quoted, plain] = boundaryParameter.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('has no boundary')
  // A line break precedes each delimiter, but the body may start with the first delimiter.
  const body = Buffer.concat([lineBreak, bytes])
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const parts: Part[] = []
  let at = body.indexOf(delimiter)
  if (at < 0) throw malformed('has no part')
  at += delimiter.length
  while (body.toString('latin1', at, at + 2) !== '--') {
    if (body.toString('latin1', at, at + 2) !== '\r\n') throw malformed('is malformed')
    if (parts.length === maxParts) throw malformed(`has more than ${maxParts} parts`)
    const end = body.indexOf(delimiter, at)
    const head = body.subarray(at, at + maxHeaderBytes).indexOf(headerEnd)
    if (end < 0) throw malformed('is truncated')
    if (head < 0 || at + head > end)
      throw malformed('has a part without a header end, or with a header that is too long')
    parts.push(parsePart(body.subarray(at + 2, at + head), body.subarray(at + head + headerEnd.length, end)))
    at = end + delimiter.length
  }
  return parts
}

function parsePart(head: Uint8Array, value: Uint8Array): Part {
  const parameters = disposition.exec(decodeUtf8(head))?.[1] ?? ''
  const name = matchParameter(nameParameter, parameters)
  if (name === undefined) throw malformed('has a part without a name')
  return { name, filename: matchParameter(filenameParameter, parameters), value }
}

function matchParameter(pattern: RegExp, parameters: string): string | undefined {
  const [, quoted, plain] = pattern.exec(parameters) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain
}

function malformed(reason: string): Error {
  return invalid('', 'multipart', `the multipart body ${reason}`)
}
