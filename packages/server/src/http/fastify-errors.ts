import { maxBodyBytes } from '@gatehouse/protocol/limits'
import { AppError, type ErrorCode, notFound } from '../errors/app-error.ts'

interface ErrorResponse {
  code: ErrorCode
  message: string
}

/** The errors of Fastify that a request can cause, with their responses. No message contains a part of the request. */
export const requestErrors: Readonly<Record<string, ErrorResponse>> = {
  FST_ERR_NOT_FOUND: { code: 'not_found', message: 'This resource does not exist, or you may not view it.' },
  FST_ERR_BAD_URL: { code: 'malformed_request', message: 'The URL is malformed.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long', message: 'A part of the path is too long.' },
  FST_ERR_VALIDATION: { code: 'validation_failed', message: 'The request is not valid.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'body_too_large', message: 'The body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'This Content-Type is not accepted here.',
  },
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: {
    code: 'unsupported_media_type',
    message: 'The Content-Type is missing.',
  },
  FST_ERR_ROUTE_MISSING_CONTENT: { code: 'malformed_request', message: 'The body is missing.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_json',
    message: 'The body is shorter or longer than its Content-Length.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'malformed_json', message: 'The body is empty.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'malformed_json', message: 'The body is not JSON.' },
  FST_ERR_HANDLER_TIMEOUT: { code: 'unavailable', message: 'The service did not respond in time.' },
}

/** The errors of the `clientError` event of node:http that are not syntax errors. */
const clientErrors: Readonly<Record<string, ErrorResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'The request was not complete in time.' },
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'The URL and the header fields are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'body_too_large', message: 'The chunk extensions are too large.' },
}

/** The AppError for an error of Fastify or Node.js that a request caused; undefined for other errors. */
export function fromFastifyError(thrown: unknown, maxBytes = maxBodyBytes): AppError | undefined {
  const code = codeOf(thrown)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && maxBytes !== maxBodyBytes) {
    const kibibytes = maxBytes / 1024
    const message = `The body is larger than ${kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`}.`
    return new AppError('body_too_large', message, { cause: thrown })
  }
  // The connection was closed before the body was complete.
  if (code === 'ECONNRESET') {
    return new AppError('request_timeout', 'The body is incomplete.', { cause: thrown })
  }
  const response = requestErrors[code]
  return response && new AppError(response.code, response.message, { cause: thrown })
}

/** Converts an error of @fastify/static, which has a status but usually no code. */
export function fromStaticError(thrown: unknown): unknown {
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined
  if (status === 412) {
    return new AppError('precondition_failed', 'The precondition is not met.', { cause: thrown })
  }
  // 400 and 403: the path is not the path of a file.
  return status === 400 || status === 403 || status === 404 ? notFound() : thrown
}

/** Converts the error of a `clientError` event of node:http. */
export function fromClientError(thrown: Error): AppError {
  const { code, message }: ErrorResponse = clientErrors[codeOf(thrown)] ?? {
    code: 'malformed_request',
    message: 'The request is malformed.',
  }
  return new AppError(code, message, { cause: thrown })
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
