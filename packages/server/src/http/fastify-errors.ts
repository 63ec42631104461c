import { AppError, type ErrorCode, notFound } from '../kit/app-error.ts'

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

/** The errors of Fastify that only a programming error can cause: 500, with the cause in the log. */
export const programmingErrors: readonly string[] = [
  'FST_ERR_OPTIONS_NOT_OBJ',
  'FST_ERR_QSP_NOT_FN',
  'FST_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN',
  'FST_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN',
  'FST_ERR_AJV_CUSTOM_OPTIONS_OPT_NOT_OBJ',
  'FST_ERR_AJV_CUSTOM_OPTIONS_OPT_NOT_ARR',
  'FST_ERR_LISTEN_OPTIONS_INVALID',
  'FST_ERR_ERROR_HANDLER_NOT_FN',
  'FST_ERR_ERROR_HANDLER_ALREADY_SET',
  'FST_ERR_CTP_ALREADY_PRESENT',
  'FST_ERR_CTP_INVALID_TYPE',
  'FST_ERR_CTP_EMPTY_TYPE',
  'FST_ERR_CTP_INVALID_HANDLER',
  'FST_ERR_CTP_INVALID_PARSE_TYPE',
  'FST_ERR_CTP_INSTANCE_ALREADY_STARTED',
  'FST_ERR_DEC_ALREADY_PRESENT',
  'FST_ERR_DEC_DEPENDENCY_INVALID_TYPE',
  'FST_ERR_DEC_MISSING_DEPENDENCY',
  'FST_ERR_DEC_AFTER_START',
  'FST_ERR_DEC_REFERENCE_TYPE',
  'FST_ERR_DEC_UNDECLARED',
  'FST_ERR_HOOK_INVALID_TYPE',
  'FST_ERR_HOOK_INVALID_HANDLER',
  'FST_ERR_HOOK_INVALID_ASYNC_HANDLER',
  'FST_ERR_HOOK_NOT_SUPPORTED',
  'FST_ERR_HOOK_TIMEOUT',
  'FST_ERR_MISSING_MIDDLEWARE',
  'FST_ERR_LOG_INVALID_DESTINATION',
  'FST_ERR_LOG_INVALID_LOGGER',
  'FST_ERR_LOG_INVALID_LOGGER_INSTANCE',
  'FST_ERR_LOG_INVALID_LOGGER_CONFIG',
  'FST_ERR_LOG_INVALID_LOG_CONTROLLER',
  'FST_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED',
  'FST_ERR_REP_INVALID_PAYLOAD_TYPE',
  'FST_ERR_REP_RESPONSE_BODY_CONSUMED',
  'FST_ERR_REP_READABLE_STREAM_LOCKED',
  'FST_ERR_REP_ALREADY_SENT',
  'FST_ERR_REP_SENT_VALUE',
  'FST_ERR_SEND_INSIDE_ONERR',
  'FST_ERR_SEND_UNDEFINED_ERR',
  'FST_ERR_BAD_STATUS_CODE',
  'FST_ERR_BAD_TRAILER_NAME',
  'FST_ERR_BAD_TRAILER_VALUE',
  'FST_ERR_FAILED_ERROR_SERIALIZATION',
  'FST_ERR_MISSING_SERIALIZATION_FN',
  'FST_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN',
  'FST_ERR_REQ_INVALID_VALIDATION_INVOCATION',
  'FST_ERR_SCH_MISSING_ID',
  'FST_ERR_SCH_ALREADY_PRESENT',
  'FST_ERR_SCH_CONTENT_MISSING_SCHEMA',
  'FST_ERR_SCH_DUPLICATE',
  'FST_ERR_SCH_VALIDATION_BUILD',
  'FST_ERR_SCH_SERIALIZATION_BUILD',
  'FST_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX',
  'FST_ERR_INIT_OPTS_INVALID',
  'FST_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE',
  'FST_ERR_DUPLICATED_ROUTE',
  'FST_ERR_ASYNC_CONSTRAINT',
  // The URL argument of `hasRoute` or of a route, not the URL of a request.
  'FST_ERR_INVALID_URL',
  'FST_ERR_ROUTE_OPTIONS_NOT_OBJ',
  'FST_ERR_ROUTE_DUPLICATED_HANDLER',
  'FST_ERR_ROUTE_HANDLER_NOT_FN',
  'FST_ERR_ROUTE_MISSING_HANDLER',
  'FST_ERR_ROUTE_METHOD_INVALID',
  'FST_ERR_ROUTE_METHOD_NOT_SUPPORTED',
  'FST_ERR_ROUTE_LOG_LEVEL_INVALID',
  'FST_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED',
  'FST_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT',
  'FST_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT',
  'FST_ERR_ROUTE_REWRITE_NOT_STR',
  'FST_ERR_REOPENED_CLOSE_SERVER',
  'FST_ERR_REOPENED_SERVER',
  'FST_ERR_INSTANCE_ALREADY_LISTENING',
  'FST_ERR_PLUGIN_VERSION_MISMATCH',
  'FST_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
  'FST_ERR_PLUGIN_INVALID_ASYNC_HANDLER',
  'FST_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED',
  'FST_ERR_PLUGIN_CALLBACK_NOT_FN',
  'FST_ERR_PLUGIN_NOT_VALID',
  'FST_ERR_ROOT_PLG_BOOTED',
  'FST_ERR_PARENT_PLUGIN_BOOTED',
  'FST_ERR_PLUGIN_TIMEOUT',
]

/** The errors of the `clientError` event of node:http that are not syntax errors. */
const clientErrors: Readonly<Record<string, ErrorResponse>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'The request was not complete in time.' },
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'The URL and the header fields are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'body_too_large', message: 'The chunk extensions are too large.' },
}

/** The AppError for an error of Fastify or Node.js that a request caused; undefined for other errors. */
export function fromFastifyError(thrown: unknown): AppError | undefined {
  const code = codeOf(thrown)
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
