import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../kit/app-error.ts'
import { parseForm } from './form.ts'
import { decodeUtf8, parseJson } from './json.ts'

/** D39: for every route. */
export const bodyLimit = 1024 * 1024

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/**
 * How bodies are read: JSON in UTF-8 of bounded depth, forms, images as bytes. A route that takes `any` gets the bytes
 * of whatever comes, and reads them by itself.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    parser((body, request) => (takesAny(request) ? body : parseJson(body))),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    parser((body, request) => (takesAny(request) ? body : parseForm(decodeUtf8(body)))),
  )
  const others = parser((body, request) => {
    if (takesAny(request)) return body
    throw new AppError('unsupported_media_type', 'This Content-Type is not accepted here.')
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, others)
  const bytes = parser(body => body)
  app.addContentTypeParser([...imageTypes], { parseAs: 'buffer' }, bytes)
}

type Done = (error: Error | null, body?: unknown) => void

/** Calls back: a promise for each body would cost more than to read it. */
function parser(
  read: (body: Buffer, request: FastifyRequest) => unknown,
): (request: FastifyRequest, body: Buffer, done: Done) => void {
  return (request, body, done) => {
    let value: unknown
    try {
      value = read(body, request)
    } catch (error) {
      return done(error instanceof Error ? error : new Error('a body could not be read', { cause: error }))
    }
    done(null, value)
  }
}

/** The bytes of a picture; throws `validation_failed` where the request came without a body. */
export function requirePicture(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) throw invalid('', 'required', 'send the bytes of a picture as the body')
  return body
}

function takesAny(request: FastifyRequest): boolean {
  return request.route?.bodyTypes.includes('any') === true
}
