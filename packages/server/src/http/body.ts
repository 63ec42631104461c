import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kit/app-error.ts'
import { parseForm } from './form.ts'

/** D39, D66: for every route. */
export const bodyLimit = 1024 * 1024
export const depthLimit = 32

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

function takesAny(request: FastifyRequest): boolean {
  return request.route?.bodyTypes.includes('any') === true
}

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
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 0x5c) i++
      else if (c === 0x22) inString = false
    } else if (c === 0x22) inString = true
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > depthLimit) {
        throw new AppError('malformed_json', `The body is nested deeper than ${depthLimit} levels.`)
      }
    } else if (c === 0x7d || c === 0x5d) depth--
  }
}
