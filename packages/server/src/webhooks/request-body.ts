import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import type { Schema } from '@gatehouse/protocol/wire'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { isJsonAsForm } from '../http/body-parsers.ts'
import { type FormBody, parseForm } from '../http/form.ts'
import { decodeUtf8, parseJson } from '../http/json.ts'
import { type Part, parseMultipart } from '../http/multipart.ts'
import { filesNotAccepted, invalidField, invalidFormBody, jsonAsForm } from './discord/discord-errors.ts'

/** The media types of `readDiscordBody` and `readPayload`, for the API document. */
export function jsonOrForm(json: Schema, form: Schema): Record<string, Schema> {
  return { 'application/json': json, 'application/x-www-form-urlencoded': form, 'multipart/form-data': form }
}

const acceptedTypes = "{'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'}"

/**
 * Reads a body in Discord's format: JSON, or a form or multipart body, each with the members as fields (`embeds` and
 * `allowed_mentions` are JSON) or with `payload_json`. Throws `malformed_json` for invalid JSON or UTF-8, and
 * `validation_failed` for other errors.
 */
export function readDiscordBody(request: FastifyRequest, body: unknown): JsonObject {
  const bytes = toBytes(body)
  const type = readMediaType(request)
  if (type === 'application/json' || type.endsWith('+json')) return parseObject(bytes)
  if (type === 'application/x-www-form-urlencoded') {
    const text = decodeUtf8(bytes)
    if (isJsonAsForm(text)) throw jsonAsForm()
    return toMembers(parseForm(text))
  }
  if (type === 'multipart/form-data') return toMembers(toFields(readParts(request, bytes), 'payload_json'))
  throw invalidFormBody([
    {
      path: [],
      code: 'content_type',
      message: `Expected "Content-Type" header to be one of ${acceptedTypes}.`,
    },
  ])
}

/**
 * Reads the JSON value of a Slack body: the body itself, or the field `payload` of a form or multipart body
 * (webhooks/content-type). Of the Content-Type, only multipart counts, because many programs send JSON
 * with the type of a form. Throws `malformed_json` or `validation_failed`, which the error format of the route maps.
 */
export function readPayload(request: FastifyRequest, body: unknown): unknown {
  const bytes = toBytes(body)
  if (isMultipart(request)) {
    return parsePayload(toFields(readParts(request, bytes), 'payload').payload)
  }
  const text = decodeUtf8(bytes).trimStart()
  return text.startsWith('{') ? parseJson(bytes) : parsePayload(parseForm(text).payload)
}

/** The body itself, or the part `payload` of a multipart body, as bytes. Throws `validation_failed`. */
export function readPayloadBytes(request: FastifyRequest, body: unknown): Uint8Array {
  const bytes = toBytes(body)
  if (!isMultipart(request)) return bytes
  const [payload, ...others] = readParts(request, bytes).filter(part => part.name === 'payload')
  if (payload === undefined || others.length > 0) throw missingPayload()
  return payload.value
}

function isMultipart(request: FastifyRequest): boolean {
  return readMediaType(request) === 'multipart/form-data'
}

function parsePayload(payload: string | string[] | undefined): unknown {
  if (typeof payload === 'string' && payload !== '') return parseJson(Buffer.from(payload))
  throw missingPayload()
}

function missingPayload(): AppError {
  return invalidField(['payload'], 'required', 'must be present exactly once and contain JSON')
}

function toBytes(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array()
}

function readMediaType(request: FastifyRequest): string {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1)
  return type.trim().toLowerCase()
}

function readParts(request: FastifyRequest, bytes: Uint8Array): Part[] {
  return parseMultipart(bytes, request.headers['content-type'] ?? '')
}

/** `payloadName` is the field with JSON. Throws if there is a file (webhooks/files-and-unknown-keys). */
function toFields(parts: readonly Part[], payloadName: string): FormBody {
  const fields: FormBody = Object.create(null)
  for (const { name, filename, value } of parts) {
    // A payload that was built from a Blob has a file name too.
    if (filename !== undefined && name !== payloadName) {
      // A browser sends an empty part for a file input without a file.
      if (filename === '' && value.length === 0) continue
      throw filesNotAccepted()
    }
    const text = decodeUtf8(value)
    const previous = fields[name]
    fields[name] = previous === undefined ? text : [previous, text].flat()
  }
  return fields
}

function toMembers(form: FormBody): JsonObject {
  const payload = form.payload_json
  if (Array.isArray(payload))
    throw invalidField(['payload_json'], 'invalid_type', 'must be present only once')
  if (payload !== undefined) return parseObject(Buffer.from(payload))
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(form)) {
    const text = typeof value === 'string' ? value : (value.at(-1) ?? '')
    fields[name] = name === 'embeds' || name === 'allowed_mentions' ? parseMember(name, text) : text
  }
  return fields
}

/** A member of a form that is JSON (webhooks/form-body). An empty field is absent. */
function parseMember(name: string, text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return parseExact(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalidField([name], 'invalid_type', `must be JSON: ${error.message}`)
  }
}

/** Parses a JSON body in Discord's format. */
export function readExactJson(body: unknown): unknown {
  return parseExact(toBytes(body))
}

function parseObject(bytes: Uint8Array): JsonObject {
  const value = parseExact(bytes)
  if (value === undefined) throw new AppError('malformed_json', 'The body is empty.')
  if (!isJsonObject(value)) throw invalidField([], 'invalid_type', 'must be a JSON object')
  return value
}

/** Large integers become text: programs send ids as numbers, and JavaScript would round them. */
function parseExact(bytes: Uint8Array): unknown {
  const value = parseJson(bytes)
  const text = decodeUtf8(bytes)
  return /[[:,]\s*-?\d{16}/.test(text) ? JSON.parse(text, largeIntegerToText) : value
}

function largeIntegerToText(_key: string, value: unknown, context?: { source: string }): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? String(value)) : value
}
