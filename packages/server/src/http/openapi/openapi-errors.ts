import { ErrorBody, type ErrorCode } from '@gatehouse/protocol/errors'
import { defaultLocale } from '@gatehouse/protocol/locales'
import { EmptyObject } from '@gatehouse/protocol/oauth'
import { AppError } from '../../errors/app-error.ts'
import { challenge } from '../authenticate.ts'
import { commonErrors, errorHeaders, nativeErrorFormat } from '../error-formats.ts'
import type { Route } from '../route.ts'
import type { Json, SchemaWriter } from './openapi-schemas.ts'

/** The errors that a request of the documented form can get. */
function possibleErrors(route: Route): ErrorCode[] {
  const { caller, method } = route
  const codes = new Set<ErrorCode>(route.errors)
  const add = (condition: boolean, ...added: ErrorCode[]) => {
    if (condition) for (const code of added) codes.add(code)
  }
  add(route.path.includes(':'), 'malformed_request', 'uri_too_long')
  add(route.query !== undefined || route.auditReason === true, 'validation_failed')
  if (hasBody(route)) {
    const isImage = route.bodyTypes.includes('image')
    add(!isImage, 'malformed_json')
    add(true, 'validation_failed', 'request_timeout', 'body_too_large', 'unsupported_media_type')
  }
  const authenticates = caller.session || caller.bot || caller.bearer !== undefined
  // A cookie of an ended session counts as none if the route accepts anonymous callers.
  add(
    caller.bot === true || caller.bearer !== undefined || (authenticates === true && !caller.anonymous),
    'unauthenticated',
  )
  const acceptsAll = caller.session && caller.bot && caller.bearer
  add(authenticates === true && !caller.anonymous && !acceptsAll, 'credential_not_accepted')
  add(caller.bearer !== undefined, 'missing_scope')
  add(method !== 'GET' && (caller.session === true || route.rejectCrossSite === true), 'cross_site')
  add((authenticates === true && !route.exemptFromRequestRate) || route.rates.length > 0, 'rate_limited')
  add(true, 'headers_too_large', 'internal_error', 'unavailable')
  return [...codes]
}

/** Whether the route reads a body. */
export function hasBody(route: Route): boolean {
  return route.body !== undefined || route.content !== undefined
}

export interface ErrorResponses {
  /** Responses by status, as references. */
  of(route: Route): [status: string, response: Json][]
  listComponents(): [name: string, response: Json][]
}

/**
 * Asks the error format of a route for the response to each of its errors. Equal responses are shared. The common
 * errors share one response in each format; all others, and all with the same status, have responses of their own.
 * `complete`: without `default`, each status of an operation has a response.
 */
export function createErrorResponses(schemas: SchemaWriter, complete: boolean): ErrorResponses {
  const responses = new Map<string, { status: string; errors: DocumentedError[] }>()

  function refer(status: string, errors: readonly DocumentedError[]): Json {
    const name = (errors[0]?.prefix ?? '') + (isRange(status) ? 'errors' : nameGroup(status, errors))
    const response = responses.get(name) ?? { status, errors: [...errors] }
    const added = errors.filter(error => !response.errors.some(known => known.name === error.name))
    if (added.length > 0 && !isRange(status)) throw new Error(`there are two error responses ${name}`)
    response.errors.push(...added)
    responses.set(name, response)
    return { $ref: `#/components/responses/${name}` }
  }

  return {
    of(route) {
      const errors = listErrors(route)
      const own = Map.groupBy(
        errors.filter(
          ({ status }) => complete || errors.some(error => error.status === status && !error.isCommon),
        ),
        ({ status }) => String(status),
      )
      const others = errors.filter(({ status }) => !own.has(String(status)))
      // A linter wants a client error in each operation.
      const ranges = complete
        ? []
        : [...own.keys()].some(status => status < '5')
          ? ['default']
          : ['4XX', '5XX']
      return [
        ...[...own].map(([status, members]): [string, Json] => [status, refer(status, members)]),
        ...ranges.map((range): [string, Json] => [range, refer(range, others)]),
      ]
    },
    listComponents: () =>
      [...responses].map(([name, { status, errors }]) => [name, describe(status, errors, schemas)]),
  }
}

function isRange(status: string): boolean {
  return Number.isNaN(Number(status))
}

/** All errors that the operation can return. */
function listErrors(route: Route): DocumentedError[] {
  const errors = [...possibleErrors(route).map(code => sampleOf(code)), ...(route.documentedErrors ?? [])]
  const { schema } = documentError(route, sampleOf('internal_error'))
  return (
    errors
      .map(error => documentError(route, error))
      // The revocation endpoint turns an error into a successful response.
      .filter(({ status }) => status >= 400)
      .map(error => ({ ...error, isCommon: error.isCommon && error.schema === schema }))
  )
}

/** Short words for the errors that many operations have, for the names of groups. */
const words: Readonly<Record<string, string>> = {
  malformed_request: 'path',
  malformed_json: 'json',
  validation_failed: 'fields',
  // In a group with most of the others.
  credential_not_accepted: '',
  cross_site: 'origin',
  missing_permission: 'permission',
  timed_out: 'timeout',
  member_too_new: 'new_member',
  cannot_message_user: 'dm',
  email_not_verified: 'email',
  invalid_request: 'parameters',
  invalid_grant: 'grant',
  unsupported_grant_type: 'grant_type',
  invalid_scope: 'scope',
}

const statusWords: Readonly<Record<string, string>> = { 400: 'invalid', 403: 'forbidden' }

/** `not_found`, `conflict-limit_reached`, `forbidden-origin`. */
function nameGroup(status: string, errors: readonly DocumentedError[]): string {
  const names = [...new Set(errors.map(({ name }) => name))].sort()
  const statusWord = statusWords[status]
  if (names.length === 1 || statusWord === undefined) return names.join('-')
  return [statusWord, ...names.map(name => words[name] ?? name)].filter(Boolean).join('-')
}

interface DocumentedError {
  isCommon: boolean
  /** The name of the error in the format that `prefix` stands for. */
  name: string
  prefix: string
  status: number
  type: string
  headers: readonly string[]
  /** The member of the body with the code; undefined for text. */
  member: 'code' | 'error' | undefined
  code: unknown
  schema: object | undefined
}

const codesWithWait: readonly ErrorCode[] = ['rate_limited', 'slow_mode', 'member_too_new']

function sampleOf(code: ErrorCode): AppError {
  return new AppError(code, '', codesWithWait.includes(code) ? { retryAfter: 1 } : {})
}

function documentError(route: Route, error: AppError): DocumentedError {
  const format = route.errorFormat ?? nativeErrorFormat
  const request = { method: route.method, url: undefined, locale: defaultLocale, theme: 'system' } as const
  const response = format(error, '', request)
  const type = (response.contentType ?? 'application/json').split(';', 1)[0] ?? ''
  const headers = Object.keys({ ...errorHeaders(error), ...response.headers })
  if (challenge(route.caller, error, undefined) !== undefined) headers.push('www-authenticate')
  const { body, schema, status } = response
  const isObject = typeof body === 'object' && body !== null
  const member = isObject && 'code' in body ? 'code' : isObject && 'error' in body ? 'error' : undefined
  const code = isObject ? member && Reflect.get(body, member) : type === 'text/html' ? undefined : body
  const shown = headers.map(name => headerNames[name]).filter(name => name !== undefined)
  const described: Omit<DocumentedError, 'isCommon' | 'prefix' | 'name'> = {
    status,
    type,
    headers: shown,
    member,
    code,
    schema,
  }
  return { isCommon: commonErrors.includes(error.code), ...nameError(error, described), ...described }
}

/** Different names for different responses. */
function nameError(
  error: AppError,
  {
    schema,
    type,
    status,
    member,
    code,
  }: Pick<DocumentedError, 'schema' | 'type' | 'status' | 'member' | 'code'>,
): { prefix: string; name: string } {
  if (schema === ErrorBody) return { prefix: '', name: error.code }
  if (schema === EmptyObject) return { prefix: 'revocation_', name: error.code }
  if (type === 'text/html') return { prefix: 'page_', name: String(status) }
  // A hint may follow Slack's code.
  if (type === 'text/plain') return { prefix: 'slack_', name: String(code).replace(/: .*/, '') }
  if (member === 'error') return { prefix: 'oauth_', name: String(code) }
  // Discord has no code for some errors.
  return { prefix: 'discord_', name: String(code || error.code) }
}

const headerNames: Readonly<Record<string, string>> = {
  'retry-after': 'Retry-After',
  'www-authenticate': 'WWW-Authenticate',
}

function describe(status: string, errors: readonly DocumentedError[], schemas: SchemaWriter): Json {
  const headers = [...new Set(errors.flatMap(error => error.headers))]
  const codes = [...new Set(errors.map(error => error.code))]
  const [first] = errors
  return {
    description: isRange(status) ? describeCommon(errors) : describeCodes(errors),
    ...(headers.length === 0
      ? {}
      : {
          headers: Object.fromEntries(headers.map(name => [name, { $ref: `#/components/headers/${name}` }])),
        }),
    content: { [first?.type ?? '']: { schema: bodySchema(errors, codes, schemas) } },
  }
}

function describeCodes(errors: readonly DocumentedError[]): string {
  if (errors[0]?.type === 'text/html') return 'A page with the error.'
  const codes = new Set(errors.flatMap(({ code }) => code ?? []))
  return [...codes].map(code => `\`${code}\``).join(', ') || 'Too many requests.'
}

function describeCommon(errors: readonly DocumentedError[]): string {
  const byStatus = [...Map.groupBy(errors, ({ status }) => status)].toSorted(([a], [b]) => a - b)
  const statuses = byStatus.map(([status, members]) =>
    members.some(({ code }) => code !== undefined) ? `${status} ${describeCodes(members)}` : String(status),
  )
  return `An error that does not depend on what the operation does: ${statuses.join('; ')}.`
}

function bodySchema(
  [first]: readonly DocumentedError[],
  codes: readonly unknown[],
  schemas: SchemaWriter,
): Json {
  if (first?.type === 'text/html') return { type: 'string' }
  if (first?.schema === undefined) return { type: 'string', enum: codes }
  const body = schemas.write(first.schema)
  if (first.member === undefined || first.code === undefined) return body
  return { allOf: [body, { type: 'object', properties: { [first.member]: { enum: codes } } }] }
}
