import { ErrorBody, type ErrorCode } from '@gatehouse/protocol/errors'
import { defaultLocale } from '@gatehouse/protocol/locales'
import { AppError } from '../../kit/app-error.ts'
import { challenge } from '../authenticate.ts'
import { errorHeaders, nativeErrorFormat } from '../errors.ts'
import type { Route } from '../route.ts'
import type { Json, SchemaWriter } from './schemas.ts'

/** The errors that a request of the documented form can get. */
function possibleErrors(route: Route): ErrorCode[] {
  const { caller, method } = route
  const codes = new Set<ErrorCode>(route.errors)
  const add = (condition: boolean, ...added: ErrorCode[]) => {
    if (condition) for (const code of added) codes.add(code)
  }
  add(route.path.includes(':'), 'malformed_request', 'uri_too_long')
  add(route.query !== undefined, 'validation_failed')
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
  /** Responses by status, as references. Those that every operation can have are `5XX`. */
  of(route: Route): Map<string, Json>
  components: Map<string, Json>
}

/** Asks the error format of a route for the response to each of its errors. Equal responses are shared. */
export function createErrorResponses(schemas: SchemaWriter): ErrorResponses {
  const components = new Map<string, Json>()
  /** The groups of errors with the same short name. */
  const groupNames = new Map<string, string[]>()

  /** The names of the errors, or the first and the number of the others if there are many. */
  function nameGroup(names: readonly string[]): string {
    const short = names.length > 2 ? `${names[0]}-and-${names.length - 1}` : names.join('-')
    const groups = groupNames.get(short) ?? []
    groupNames.set(short, groups)
    if (!groups.includes(names.join())) groups.push(names.join())
    const index = groups.indexOf(names.join())
    return index === 0 ? short : `${short}-${index + 1}`
  }

  function share(errors: readonly DocumentedError[]): Json {
    const name = nameGroup([...new Set(errors.map(error => error.name))].sort())
    if (!components.has(name)) components.set(name, describe(errors, schemas))
    return { $ref: `#/components/responses/${name}` }
  }

  return {
    of(route) {
      const errors = [...possibleErrors(route).map(code => sampleOf(code)), ...(route.documentedErrors ?? [])]
      const byStatus = Map.groupBy(
        errors.map(error => documentError(route, error)),
        ({ status }) => (status < 500 ? String(status) : '5XX'),
      )
      return new Map([...byStatus].map(([status, members]) => [status, share(members)]))
    },
    components,
  }
}

interface DocumentedError {
  name: string
  status: number
  type: string
  headers: readonly string[]
  /** The member of the body with the code; undefined for text. */
  member: 'code' | 'error' | undefined
  code: unknown
  schema: object | undefined
}

function sampleOf(code: ErrorCode): AppError {
  return new AppError(code, '', code === 'rate_limited' ? { retryAfter: 1 } : {})
}

function documentError(route: Route, error: AppError): DocumentedError {
  const format = route.errorFormat ?? nativeErrorFormat
  const response = format(error, '', { method: route.method, url: undefined, locale: defaultLocale })
  const type = (response.contentType ?? 'application/json').split(';', 1)[0] ?? ''
  const headers = Object.keys({ ...errorHeaders(error), ...response.headers })
  if (challenge(route.caller, error, undefined) !== undefined) headers.push('www-authenticate')
  const { body, schema, status } = response
  const isObject = typeof body === 'object' && body !== null
  const member = isObject && 'code' in body ? 'code' : isObject && 'error' in body ? 'error' : undefined
  const code = isObject ? member && Reflect.get(body, member) : body
  const shown = headers.map(name => headerNames[name]).filter(name => name !== undefined)
  const name = nameResponse(error, { schema, type, status, member, code })
  return { name, status, type, headers: shown, member, code, schema }
}

/** Different names for different responses. */
function nameResponse(
  error: AppError,
  { schema, type, status, member, code }: Omit<DocumentedError, 'name' | 'headers'>,
): string {
  if (schema === ErrorBody) return error.code
  if (type === 'text/html') return `page_${status}`
  if (type === 'text/plain') return `slack_${code}`
  if (member === 'error') return `oauth_${code}`
  // Discord has no code for some errors.
  return `discord_${code || error.code}`
}

const headerNames: Readonly<Record<string, string>> = {
  'retry-after': 'Retry-After',
  'www-authenticate': 'WWW-Authenticate',
}

function describe(errors: readonly DocumentedError[], schemas: SchemaWriter): Json {
  const headers = [...new Set(errors.flatMap(error => error.headers))]
  const codes = [...new Set(errors.map(error => error.code))]
  const [first] = errors
  return {
    description:
      first?.type === 'text/html'
        ? 'A page with the error.'
        : codes
            .filter(code => code !== undefined)
            .map(code => `\`${code}\``)
            .join(', ') || 'Too many requests.',
    ...(headers.length === 0
      ? {}
      : {
          headers: Object.fromEntries(headers.map(name => [name, { $ref: `#/components/headers/${name}` }])),
        }),
    content: { [first?.type ?? '']: { schema: bodySchema(errors, codes, schemas) } },
  }
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
