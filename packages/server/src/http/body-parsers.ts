import type { Readable } from 'node:stream'
import { bodySeconds, imageTypes, maxAnonymousBodyBytes, maxBodyBytes } from '@gatehouse/protocol/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../errors/app-error.ts'
import type { Timers } from '../kit/clock.ts'
import { type FormBody, parseForm } from './form.ts'
import { decodeUtf8, parseJson } from './json.ts'
import { toJsonSchema } from './json-schema.ts'
import type { BodyType, Route } from './route.ts'

/** The media types of each body type. `any` accepts all types. */
export const bodyMediaTypes = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  // Generated clients often send bytes with the last type only.
  image: [...imageTypes, 'application/octet-stream'],
  any: [],
} as const satisfies Record<BodyType, readonly string[]>

/**
 * Parses JSON and forms, and passes images as bytes. A route with the body type `any` receives the unparsed bytes.
 * `onBody` is called with each complete body that is not an image, before it is parsed.
 */
export function addBodyParsers(
  app: FastifyInstance,
  onBody: (request: FastifyRequest, bytes: number) => void,
): void {
  const counted = (parse: (body: Buffer, request: FastifyRequest) => unknown) =>
    toParser((body, request) => {
      onBody(request, body.length)
      return parse(body, request)
    })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    counted((body, request) => (acceptsAny(request) ? body : parseJson(body))),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    counted((body, request) => (acceptsAny(request) ? body : parseFormBody(decodeUtf8(body)))),
  )
  const rejectOthers = counted((body, request) => {
    if (acceptsAny(request)) return body
    throw unsupportedMediaType((request.route && mediaTypesOf(request.route)) ?? [])
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, rejectOthers)
  app.addContentTypeParser(
    [...bodyMediaTypes.image],
    { parseAs: 'buffer' },
    toParser(body => body),
  )
}

/** The media types that a route accepts; undefined if it accepts every type. */
export function mediaTypesOf({ bodyTypes }: Pick<Route, 'bodyTypes'>): readonly string[] | undefined {
  return bodyTypes.includes('any') ? undefined : bodyTypes.flatMap(kind => bodyMediaTypes[kind])
}

/** 415 with the header to send. */
export function unsupportedMediaType(accepted: readonly string[]): AppError {
  const types = accepted.map(type => `Content-Type: ${type}`).join(' or ')
  const hint = types === '' ? '' : ` Send the header ${types}.`
  return new AppError('unsupported_media_type', `This Content-Type is not accepted here.${hint}`)
}

/**
 * Whether a body with the type of a form is JSON, as curl sends it without a header. An encoder of forms would have
 * escaped the brace.
 */
export function isJsonAsForm(text: string): boolean {
  return /^[\s\ufeff]*\{/.test(text)
}

function parseFormBody(text: string): FormBody {
  if (isJsonAsForm(text)) {
    throw new AppError('malformed_request', 'The body is JSON. Send a form instead: name=value&name=value.')
  }
  return parseForm(text)
}

/** Whether every member of the JSON body is optional, so that the body is too. */
export function acceptsNoBody({ body, bodyTypes }: Pick<Route, 'body' | 'bodyTypes'>): boolean {
  if (body === undefined || !bodyTypes.includes('json')) return false
  const { properties, required } = toJsonSchema(body)
  return properties !== undefined && required === undefined
}

/**
 * The most bytes of the body of a route. Before a JSON body without a credential, no rate has counted
 * (limits/anonymous-body).
 */
export function maxBodyBytesOf({ caller, bodyTypes, body, beforeBody, ...route }: Route): number {
  const isUncounted = caller.anonymous === true && beforeBody === undefined
  return isUncounted && body !== undefined && bodyTypes.includes('json')
    ? maxAnonymousBodyBytes
    : (route.maxBodyBytes ?? maxBodyBytes)
}

type Done = (error: Error | null, body?: unknown) => void

/** Uses a callback, because a promise for each body takes longer than parsing it. */
function toParser(
  parse: (body: Buffer, request: FastifyRequest) => unknown,
): (request: FastifyRequest, body: Buffer, done: Done) => void {
  return (request, body, done) => {
    let value: unknown
    try {
      value = parse(body, request)
    } catch (error) {
      return done(
        error instanceof Error ? error : new Error('the body could not be parsed', { cause: error }),
      )
    }
    done(null, value)
  }
}

function acceptsAny(request: FastifyRequest): boolean {
  return request.route?.bodyTypes.includes('any') === true
}

/** The bytes of an image. Throws 400 `validation_failed` if the request has no body. */
export function requireImage(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) throw invalid('', 'required', 'must be the bytes of an image')
  return body
}

/** Makes reading the body fail with 408 `request_timeout` if it is not complete in time (webhooks/bodies). */
export function startBodyTimeout(body: Readable, timers: Timers): void {
  const timer = timers.after(bodySeconds * 1000, () => {
    // Emits an error instead of destroying the stream: the response uses the same connection. Without a listener
    // nothing reads the body, so the response has been sent already.
    if (body.listenerCount('error') > 0) body.emit('error', timeoutError())
  })
  for (const event of ['end', 'close']) body.once(event, () => timer.cancel())
}

function timeoutError(): AppError {
  return new AppError('request_timeout', `The body was not complete within ${bodySeconds} seconds.`)
}
