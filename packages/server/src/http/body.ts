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
    async (request: FastifyRequest, body: Buffer) => (takesAny(request) ? body : parseJson(body)),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => (takesAny(request) ? body : parseForm(decodeUtf8(body))),
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (takesAny(request)) return body
    throw new AppError('unsupported_media_type', 'This Content-Type is not accepted here.')
  })
  app.addContentTypeParser(
    [...imageTypes],
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => body,
  )
}

/** The bytes of a picture; throws `validation_failed` where the request came without a body. */
export function requirePicture(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) throw invalid('', 'required', 'send the bytes of a picture as the body')
  return body
}

function takesAny(request: FastifyRequest): boolean {
  return request.route?.bodyTypes.includes('any') === true
}
