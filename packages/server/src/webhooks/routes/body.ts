import { isMembers, type Members } from '@gatehouse/protocol/members'
import type { FastifyRequest } from 'fastify'
import { type FormBody, parseForm } from '../../http/form.ts'
import { decodeUtf8, parseJson } from '../../http/json.ts'
import { type Part, parseMultipart } from '../../http/multipart.ts'
import { AppError } from '../../kit/app-error.ts'
import { filesRefused, invalidAt, invalidForm } from '../refusal.ts'

const types = "{'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'}"

/**
 * The body of a post in the compatible dialect: JSON, a form, or multipart, the last two with the fields themselves or
 * with `payload_json`. Throws the dialect's refusals.
 */
export function readBody(request: FastifyRequest, body: unknown): Members {
  const bytes = bytesOf(body)
  const type = mediaType(request)
  if (type === 'application/json' || type.endsWith('+json')) return fromJson(bytes)
  if (type === 'application/x-www-form-urlencoded') return fromFields(parseForm(decodeUtf8(bytes)))
  if (type === 'multipart/form-data') return fromFields(fieldsOf(readParts(request, bytes), 'payload_json'))
  throw invalidForm([
    { path: [], rule: 'content_type', message: `Expected "Content-Type" header to be one of ${types}.` },
  ])
}

/**
 * The one JSON value of a body that comes as itself, or as the field `payload` of a form or of multipart (D47, D48),
 * whatever its type says: programs that post JSON as a form are many.
 */
export function readPayload(request: FastifyRequest, body: unknown): unknown {
  const bytes = bytesOf(body)
  if (mediaType(request) === 'multipart/form-data') {
    return parsePayload(fieldsOf(readParts(request, bytes), 'payload').payload)
  }
  const text = decodeUtf8(bytes).trimStart()
  return text.startsWith('{') ? parseJson(bytes) : parsePayload(parseForm(text).payload)
}

function parsePayload(payload: string | string[] | undefined): unknown {
  if (typeof payload === 'string' && payload !== '') return parseJson(Buffer.from(payload))
  throw invalidAt(['payload'], 'required', 'is required once, with JSON in it')
}

function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array()
}

function mediaType(request: FastifyRequest): string {
  const [name = ''] = (request.headers['content-type'] ?? '').split(';', 1)
  return name.trim().toLowerCase()
}

function readParts(request: FastifyRequest, bytes: Uint8Array): Part[] {
  return parseMultipart(bytes, request.headers['content-type'] ?? '')
}

/** D35: files are refused. A browser sends a part without name and content for a file that nobody chose. */
function fieldsOf(parts: readonly Part[], payload: string): FormBody {
  const fields: FormBody = Object.create(null)
  for (const { name, filename, value } of parts) {
    // Programs that build the part from a blob give its name a file's.
    if (filename !== undefined && name !== payload) {
      if (filename === '' && value.length === 0) continue
      throw filesRefused()
    }
    const text = decodeUtf8(value)
    const before = fields[name]
    fields[name] = before === undefined ? text : [before, text].flat()
  }
  return fields
}

function fromFields(form: FormBody): Members {
  const payload = form.payload_json
  if (Array.isArray(payload)) throw invalidAt(['payload_json'], 'invalid_type', 'must be there once')
  if (payload !== undefined) return fromJson(Buffer.from(payload))
  for (const member of ['embeds', 'allowed_mentions'] as const) {
    if (form[member] === undefined) continue
    throw invalidAt([member], 'invalid_type', `is no form field: send it as JSON, or inside payload_json`)
  }
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(form)) {
    fields[name] = typeof value === 'string' ? value : (value.at(-1) ?? '')
  }
  return fields
}

function fromJson(bytes: Uint8Array): Members {
  const value = parseJson(bytes)
  if (value === undefined) throw new AppError('malformed_json', 'The body is empty.')
  if (!isMembers(value)) throw invalidAt([], 'invalid_type', 'only an object is a message')
  return value
}
