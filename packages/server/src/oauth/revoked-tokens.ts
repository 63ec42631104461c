import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors/app-error.ts'
import { parseForm } from '../http/form.ts'
import { decodeUtf8, parseJson } from '../http/json.ts'
import { parseMultipart } from '../http/multipart.ts'
import { toParameters } from './parameters.ts'

/**
 * The values of `token` in the body of a revocation request: a form, or JSON or multipart, which some clients send. A
 * body that cannot be parsed has none (sign-in/revocation). If there are several tokens, all of them are revoked.
 */
export function readRevokedTokens({
  headers,
  body,
}: {
  headers: IncomingHttpHeaders
  body: unknown
}): string[] {
  if (!(body instanceof Uint8Array)) return []
  try {
    return readPairs(headers['content-type'] ?? '', body).flatMap(([name, value]) =>
      name === 'token' ? [value] : [],
    )
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function readPairs(contentType: string, body: Uint8Array): readonly (readonly [string, string])[] {
  if (/^multipart\/form-data\b/i.test(contentType)) {
    return parseMultipart(body, contentType).map(({ name, value }) => [name, decodeUtf8(value)])
  }
  const text = decodeUtf8(body)
  return toParameters(text.trimStart().startsWith('{') ? parseJson(body) : parseForm(text)).pairs
}
