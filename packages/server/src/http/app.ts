import { randomBytes } from 'node:crypto'
import swagger from '@fastify/swagger'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { AppError, notFound } from '../kit/app-error.ts'
import { systemTimers, type Timers } from '../kit/clock.ts'
import { createEndOfRound } from '../kit/end-of-round.ts'
import {
  type Authenticators,
  authenticate,
  challenge,
  refuseOtherSites,
  sessionCookieName,
} from './authenticate.ts'
import { addBodyParsers, bodyLimit, imageTypes } from './body.ts'
import { limitBodyTime } from './body-deadline.ts'
import type { Caller } from './caller.ts'
import { type ErrorDialect, errorHeaders, isDeclared, nativeDialect, toAppError } from './errors.ts'
import type { Logger } from './log.ts'
import { errorSchemas, openapi } from './openapi.ts'
import type { Route } from './route.ts'
import { clientHeaders, securityHeaders } from './security-headers.ts'
import { compileSerializer, compileValidator } from './validation.ts'
import { addWebClient, webClientPage } from './web-client.ts'

export interface AppOptions {
  baseUrl: string
  /** Addresses of proxies whose `X-Forwarded-For` is believed; empty for none. */
  trustProxy: readonly string[]
  logger: Logger
  authenticators: Authenticators
  timers?: Timers
  /** Told of every answer, for the metrics. */
  observe?: (seen: { method: string; route: string; status: number; seconds: number }) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    dialect: ErrorDialect | undefined
    route: Route | undefined
  }
}

/** Fastify with all that every endpoint shares; `mount` puts the routes of the features on it. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.logger
  const app: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    bodyLimit,
    // D45 is body-deadline.ts, which answers in the route's dialect; the runtime's own limit lies behind it, for what
    // never becomes a request. Unless told, the runtime looks only every 30 s who is late.
    requestTimeout: 40_000,
    http: { connectionsCheckingInterval: 1_000, headersTimeout: 15_000, requestTimeout: 40_000 },
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    genReqId: requestIds(),
    routerOptions: { maxParamLength: 512, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
  })
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('dialect', undefined)
  app.decorateRequest('route', undefined)
  // A child logger for each request costs more than the few lines that need one: they name the request themselves.
  app.setChildLoggerFactory(logger => logger)
  addBodyParsers(app)
  await app.register(swagger, { openapi: openapi(options.baseUrl) })
  await addWebClient(app)

  const headers = securityHeaders(options.baseUrl)
  // Hooks on the way of every request call back: a promise each would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
  const endOfRound = createEndOfRound()
  app.addHook('onSend', (_request, _reply, payload, done) => endOfRound(() => done(null, payload)))
  app.addHook('onResponse', (request, reply, done) => {
    const seen = {
      method: request.method,
      // The path as declared, never as sent: addresses hold tokens.
      route: request.route?.path ?? 'unmatched',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    }
    options.observe?.(seen)
    if (options.logger.isLevelEnabled('debug'))
      options.logger.debug({ ...seen, reqId: request.id }, 'answered')
    done()
  })
  app.setErrorHandler((thrown, request, reply) => sendError(thrown, request, reply))
  return app
}

/** Ids that name a request in the log and to whoever reports it: unlike those of other starts and nodes, and in order. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${start}-${(++count).toString(36)}`
}

/** Puts the routes on the app, with the 405s and the preflights that follow from them. */
export function mount(app: FastifyInstance, routes: readonly Route[], options: AppOptions): void {
  const shared: Shared = {
    cookieName: sessionCookieName(options.baseUrl),
    timers: options.timers ?? systemTimers,
    endOfRound: createEndOfRound(),
  }
  for (const route of routes) mountOne(app, route, options, shared)
  for (const path of new Set(routes.filter(route => route.cors).map(route => route.path))) {
    const methods = routes.filter(route => route.path === path).map(route => route.method)
    app.options(path, { schema: { hide: true } }, async (_request, reply) => {
      reply
        .headers({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': 'Authorization, Content-Type',
          'access-control-max-age': '86400',
        })
        .code(204)
      return null
    })
  }
  const pageOfClient = clientHeaders(options.baseUrl)
  const patterns = routes.map(route => ({ route, matches: matcher(route.path) }))
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const others = patterns.filter(pattern => pattern.matches.test(path)).map(({ route }) => route)
    const nearest = others[0] ?? routes.find(route => route.astray && path.startsWith(beginning(route.path)))
    request.dialect = nearest?.dialect
    // A page of another site that may read the answers of the route may read this one too.
    if (nearest?.cors) reply.header('access-control-allow-origin', '*')
    if (nearest?.astray) {
      await nearest.astray(request, reply, matcher(nearest.path).exec(path)?.groups ?? {})
    }
    if (others.length === 0) {
      const page = request.method === 'GET' || request.method === 'HEAD' ? webClientPage(path) : undefined
      if (page === undefined) return sendError(notFound(), request, reply)
      return reply.type('text/html; charset=utf-8').headers(pageOfClient).send(page)
    }
    const allowed = [
      ...new Set(others.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ]
    reply.header('allow', allowed.join(', '))
    return sendError(
      new AppError('method_not_allowed', `${request.method} is not offered here.`),
      request,
      reply,
    )
  })
}

function matcher(path: string): RegExp {
  const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:([A-Za-z]+)/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`)
}

/** A path up to its first part that varies. */
function beginning(path: string): string {
  return path.split(':', 1)[0] ?? ''
}

/** What the routes of an app share. */
interface Shared {
  cookieName: string
  timers: Timers
  endOfRound: (work: () => void) => void
}

function mountOne(
  app: FastifyInstance,
  route: Route,
  options: AppOptions,
  { cookieName, timers, endOfRound }: Shared,
): void {
  const response: Record<string, unknown> = { ...errorSchemas(route) }
  for (const [status, schema] of Object.entries(route.answers)) {
    response[status] = schema === null ? { type: 'null', description: 'Done.' } : schema
  }
  const schema: Record<string, unknown> = { summary: route.summary, tags: [route.tag], response }
  if (route.params) schema.params = route.params
  if (route.query) schema.querystring = route.query
  if (route.body) schema.body = route.body
  // For the reference alone: what comes as something else is refused before it is read.
  schema.consumes = route.bodyTypes.flatMap(kind => mediaTypes[kind])

  // Where no credential is looked at, nobody waits for one.
  const { anyone, session, bearer, bot } = route.caller
  const isOpen = anyone && !session && !bearer && !bot

  async function letIn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (route.sameSite) refuseOtherSites(request, options.baseUrl)
    if (!isOpen)
      request.caller = await authenticate(request, route.caller, options.authenticators, cookieName)
    if (request.caller?.kind === 'session') refuseOtherSites(request, options.baseUrl)
    if (route.before) await route.before(request, reply)
  }

  app.route({
    method: route.method,
    url: route.path,
    schema,
    onRequest: (request, reply, done) => {
      request.route = route
      request.dialect = route.dialect
      if (route.cors) reply.header('access-control-allow-origin', '*')
      // Together with all that came in this round of the event loop: one right after the other they take less of the
      // processor than each amid its own parsing, and by then nearly every body has come whole.
      endOfRound(() => void letIn(request, reply).then(() => done(), done))
    },
    preParsing: (request, _reply, payload, done) => {
      const refusal = mediaTypeRefusal(request, route)
      // What has come whole cannot be late.
      if (!refusal && hasBody(request) && !request.raw.complete) limitBodyTime(request.raw, timers)
      done(refusal, payload)
    },
    handler: async (request, reply) => {
      const answer = await route.handle({
        caller: request.caller,
        params: request.params,
        query: request.query,
        body: request.body,
        request,
        reply,
      })
      reply.code(answer.status)
      if (answer.headers) reply.headers(answer.headers)
      if (answer.body === undefined) {
        // Fastify takes undefined for a handler that answers later.
        reply.send()
        return reply
      }
      return sendBody(reply, answer.body)
    },
  })
}

/** Text and bytes as they are, with the type that the route gave; all else as JSON by the schema of its status. */
function sendBody(reply: FastifyReply, body: unknown): unknown {
  if (typeof body === 'string' && !reply.hasHeader('content-type')) reply.type('text/html; charset=utf-8')
  if (typeof body === 'string' || body instanceof Uint8Array) reply.serializer(String)
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** What a body comes as, by kind; for `any`, what such a route is sent: it refuses none. */
const mediaTypes = {
  json: [json],
  form: [form],
  image: imageTypes,
  any: [json, form, 'multipart/form-data'],
} as const

/** RFC 9112 §6: a request has a body where its head says how long it is, or that it comes in chunks. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** 415 where a body comes in a type that the route does not take, before it is read. */
function mediaTypeRefusal(request: FastifyRequest, route: Route): AppError | undefined {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new AppError('unsupported_media_type', 'Content-Encoding is not accepted here.')
  }
  const type = request.headers['content-type']
  if (type === undefined || route.bodyTypes.includes('any')) return undefined
  const name = (type.split(';', 1)[0] ?? '').trim().toLowerCase()
  const accepted: readonly string[] = route.bodyTypes.flatMap(kind => mediaTypes[kind])
  if (accepted.includes(name) || !hasBody(request)) return undefined
  return new AppError('unsupported_media_type', `Send the body as ${accepted.join(' or ')}.`)
}

function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAppError(thrown)
  const route = request.route
  const place = { route: route?.path, reqId: request.id }
  if (error.status >= 500) request.log.error({ err: error.cause ?? error, ...place }, error.message)
  if (route && !isDeclared(route.errors, error.code)) {
    // Style rule 17: an undeclared status is our bug. The caller still gets the true answer.
    request.log.error({ ...place, code: error.code }, 'undeclared error')
  }
  route?.refused?.(request, error)
  const dialect = request.dialect ?? nativeDialect
  const answer = dialect(error, request.id)
  const authenticateHeader = route ? challenge(route.caller, error, request.headers.authorization) : undefined
  if (authenticateHeader && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', authenticateHeader)
  }
  // What is left of the body would be read as the next request.
  if (error.code === 'request_timeout') reply.header('connection', 'close')
  reply.code(answer.status).headers(errorHeaders(error))
  if (answer.headers) reply.headers(answer.headers)
  reply.type(answer.contentType ?? 'application/json; charset=utf-8')
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  return reply.serializer(String).send(body)
}
