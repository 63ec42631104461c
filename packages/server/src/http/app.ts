import { randomBytes } from 'node:crypto'
import {
  maxBodyBytes,
  maxHeaderBytes,
  requestBytesPerRequest,
  responseBytesPerRequest,
} from '@gatehouse/protocol/limits'
import type { Locale } from '@gatehouse/protocol/locales'
import type { Theme } from '@gatehouse/protocol/themes'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { LocalizedError } from '../i18n/localized-error.ts'
import { mapWithPauses } from '../kit/batches.ts'
import { systemTimers, type Timers } from '../kit/clock.ts'
import { createTurnBatcher } from '../kit/turn-batcher.ts'
import type { RateLimiter, RequestBucket } from '../rate-limits/rate-limiter.ts'
import { type Authenticators, authenticate, challenge, rejectCrossSite } from './authenticate.ts'
import {
  acceptsNoBody,
  addBodyParsers,
  maxBodyBytesOf,
  mediaTypesOf,
  startBodyTimeout,
  unsupportedMediaType,
} from './body-parsers.ts'
import { type Caller, limitKeyOf } from './caller.ts'
import { type ClientErrors, createClientErrors } from './client-errors.ts'
import { type ClientIpResolver, createClientIpResolver } from './client-ip.ts'
import { cookieName } from './cookies.ts'
import { corsHeaders } from './cors.ts'
import { type ErrorFormat, errorHeaders, isDeclared, nativeErrorFormat, toAppError } from './error-formats.ts'
import { localeOf } from './locale.ts'
import type { Logger } from './log.ts'
import { createHandler } from './operations.ts'
import type { QueuedBytes } from './queued-bytes.ts'
import type { Route } from './route.ts'
import { createRouteLookup, findShadowedPaths, type RouteLookup, type RouteMatch } from './route-lookup.ts'
import { routedUrl } from './routed-url.ts'
import { securityHeaders, webClientHeaders } from './security-headers.ts'
import { createSlowReaderWatch } from './slow-readers.ts'
import { themeOf, withTheme } from './theme.ts'
import { compileSerializer, compileValidator } from './validation.ts'
import { addWebClient, type ShownInstance, type WebClient } from './web-client.ts'

export interface AppOptions {
  baseUrl: string
  /** IP addresses of trusted proxies, whose `X-Forwarded-For` is used. */
  trustProxy: readonly string[]
  logger: Logger
  authenticators: Authenticators
  rateLimiter: RateLimiter
  timers?: Timers
  /** Counts the bytes that are queued for slow readers. Without it, they are not counted. */
  queuedBytes?: QueuedBytes
  /** The error format for browsers. Defaults to native JSON. */
  pageErrorFormat?: ErrorFormat
  /** What the web client shows of the instance. */
  instance?: () => ShownInstance
  /** Is called with every response, for the metrics. */
  onResponse?: (response: { method: string; route: string; status: number; seconds: number }) => void
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    /** Whether the body was not complete when the request was authenticated. */
    isBodyLate: boolean
    errorFormat: ErrorFormat | undefined
    route: Route | undefined
    /** Of a request that does not count towards `requests`. Its body may exceed the rate if it `mayOwe`. */
    countedAs: { bucket: RequestBucket; key: string; mayOwe?: true } | undefined
    /** The language of pages and of emails that the request sends. */
    readonly locale: Locale
    /** Of pages and of the web client. */
    readonly theme: Theme
  }
  interface FastifyInstance {
    routeLookup: RouteLookup
    webClient: WebClient
    clientErrors: ClientErrors
    resolveClientIp: ClientIpResolver
  }
}

/** Creates the Fastify app with everything that all endpoints share. `mount` adds the routes of the features. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = options.logger
  const timers = options.timers ?? systemTimers
  const headers = securityHeaders(options.baseUrl)
  const clientErrors = createClientErrors({
    timers,
    headers,
    routeOf: url => app.routeLookup.find(routedUrl(url)).nearest,
  })
  const app: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    // A fallback for connections that never become a request: `startBodyTimeout` runs first and responds in the error
    // format of the route (webhooks/bodies). By default, Node.js checks for timeouts only every 30 s.
    requestTimeout: 40_000,
    // For a client that does not read (limits/stalled-response). Node.js does not count a connection whose queue has
    // become shorter.
    connectionTimeout: 60_000,
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: 15_000,
      requestTimeout: 40_000,
      maxHeaderSize: maxHeaderBytes,
      // The response of node:http has no body; `findRequestError` checks the header instead.
      requireHostHeader: false,
    },
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // The response of Fastify has another format; `findRequestError` returns the 503 while the service stops.
    return503OnClosing: false,
    genReqId: createRequestIds(),
    rewriteUrl: request => routedUrl(request.url ?? ''),
    routerOptions: { maxParamLength: 512, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
    clientErrorHandler: clientErrors.handle,
    // Malformed URLs and path segments that are too long. No hooks run, and the request has no decorators.
    frameworkErrors(error, request, reply) {
      addCommonHeaders(request, reply)
      const { baseUrl } = options
      Object.assign(request, { locale: localeOf(request, baseUrl), theme: themeOf(request, baseUrl) })
      chooseErrorFormat(request, reply, app.routeLookup.find(request.url))
      reply.raw.once('finish', () => notifyResponse(request, reply))
      sendError(error, request, reply)
    },
  })
  clientErrors.watch(app.server)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  app.decorate('routeLookup', createRouteLookup())
  app.decorate('clientErrors', clientErrors)
  const resolveClientIp = createClientIpResolver(options.trustProxy, { logger: options.logger, timers })
  app.decorate('resolveClientIp', resolveClientIp)
  // Instead of the option `trustProxy` of Fastify, which does not remove ports.
  app.decorateRequest('ip', {
    getter() {
      return resolveClientIp(this.raw)
    },
  })
  app.decorateRequest('caller', undefined)
  app.decorateRequest('isBodyLate', false)
  app.decorateRequest('errorFormat', undefined)
  app.decorateRequest('route', undefined)
  app.decorateRequest('countedAs', undefined)
  app.decorateRequest('locale', {
    getter() {
      return localeOf(this, options.baseUrl)
    },
  })
  app.decorateRequest('theme', {
    getter() {
      return themeOf(this, options.baseUrl)
    },
  })
  // For speed: no child logger for each request. The few log lines of a request contain its id instead.
  app.setChildLoggerFactory(logger => logger)
  // Before the body is parsed and validated: that is the work, also for a body that is rejected (limits/request-size).
  addBodyParsers(app, (request, bytes) => {
    const cost = Math.floor(bytes / requestBytesPerRequest)
    if (cost === 0) return
    const { countedAs } = request
    // Bodies of many requests may arrive together, after each of them was admitted.
    if (countedAs) {
      if (!countedAs.mayOwe) countedAs.bucket.checkOwed(countedAs.key)
      countedAs.bucket.add(countedAs.key, cost)
    } else if (countsAsRequest(request)) {
      options.rateLimiter.checkOwed(limitKeyOf(request.caller))
      options.rateLimiter.addRequests(limitKeyOf(request.caller), cost)
    }
  })

  function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(headers).header('x-request-id', request.id)
  }

  function chooseErrorFormat(request: FastifyRequest, reply: FastifyReply, match: RouteMatch): void {
    request.errorFormat = errorFormatFor(request, match, app.webClient, options.pageErrorFormat)
    // A page of another origin that may read the responses of the route may read this one too.
    if (match.nearest?.cors) reply.headers(corsHeaders)
  }

  function notifyResponse(request: FastifyRequest, reply: FastifyReply): void {
    const response = {
      method: request.method,
      // The pattern of the route instead of the path, because paths contain tokens.
      route: request.route?.path ?? 'unmatched',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    }
    options.onResponse?.(response)
    if (options.logger.isLevelEnabled('debug'))
      options.logger.debug({ ...response, reqId: request.id }, 'responded')
  }

  let stopping = false
  app.addHook('preClose', done => {
    stopping = true
    done()
  })

  /** Errors that do not depend on the route. */
  function findRequestError(request: FastifyRequest): AppError | undefined {
    if (stopping) return new AppError('unavailable', 'The service is stopping.', { retryAfter: 1 })
    // RFC 9112 §3.2: an HTTP/1.1 request must have a Host header field.
    if (request.headers.host === undefined && request.raw.httpVersionMinor === 1) {
      return new AppError('malformed_request', 'The Host header field is missing.')
    }
    return undefined
  }

  // Hooks use callbacks for speed: a promise for each hook would take longer than its work.
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply)
    const error = findRequestError(request)
    if (error === undefined && !request.is404) return done()
    const match = app.routeLookup.find(request.url)
    chooseErrorFormat(request, reply, match)
    if (error) return done(error)
    // Before the body is parsed, because errors of the path and the method precede errors of the body.
    respondUnrouted(request, reply, match, pageHeaders).catch(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    notifyResponse(request, reply)
    done()
  })
  app.setErrorHandler((thrown, request, reply) => sendError(thrown, request, reply))
  const pageHeaders = webClientHeaders(options.baseUrl)
  // Only for `callNotFound` of @fastify/static: the hook above handles all other requests.
  app.setNotFoundHandler((request, reply) => {
    const match = app.routeLookup.find(request.url)
    chooseErrorFormat(request, reply, match)
    return respondUnrouted(request, reply, match, pageHeaders)
  })
  app.decorate('webClient', await addWebClient(app, { instance: options.instance }))
  return app
}

function countsAsRequest(request: FastifyRequest): request is FastifyRequest & { caller: Caller } {
  return request.caller !== undefined && !request.route?.exemptFromRequestRate
}

/** Creates request ids for the log and for error reports. They are ordered, and unique among processes. */
function createRequestIds(): () => string {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${start}-${(++count).toString(36)}`
}

/** Adds routes to the app. Its 405 and CORS preflight responses derive from them. */
export function mount(app: FastifyInstance, routes: readonly Route[], options: AppOptions): void {
  const timers = options.timers ?? systemTimers
  const shared: Shared = {
    cookieName: cookieName(options.baseUrl, 'session'),
    timers,
    runAtTurnEnd: createTurnBatcher(),
    watchResponse: options.queuedBytes && createSlowReaderWatch(options.queuedBytes, timers),
  }
  for (const route of routes) mountOne(app, route, options, shared)
  app.routeLookup.add(routes)
  const respond = (request: FastifyRequest, reply: FastifyReply) => {
    const match = app.routeLookup.find(request.url)
    request.errorFormat = match.nearest?.errorFormat
    return respondUnrouted(request, reply, match, {})
  }
  for (const { method, path } of findShadowedPaths(routes)) {
    // In `onRequest`, because errors of the method precede errors of the body.
    app.route({ method, url: path, onRequest: respond, handler: respond })
  }
}

/** The error format of the route, page or file that a URL matches. */
function errorFormatFor(
  request: FastifyRequest,
  { path, nearest }: RouteMatch,
  webClient: WebClient,
  pageErrorFormat: ErrorFormat | undefined,
): ErrorFormat | undefined {
  if (nearest) return nearest.errorFormat
  if (webClient.isPage(path)) return pageErrorFormat
  return webClient.couldBePage(path) && acceptsHtml(request) ? pageErrorFormat : undefined
}

function acceptsHtml(request: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '')
}

/** Responds to a request without a route: with a page of the web client, a CORS preflight response, 404 or 405. */
async function respondUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, routes, nearest, params }: RouteMatch,
  pageHeaders: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const { webClient } = request.server
  const methods = routes.map(route => route.method)
  const corsRoutes = routes.filter(route => route.cors)
  if (request.method === 'OPTIONS' && corsRoutes.length > 0) {
    return reply
      .headers({
        ...corsHeaders,
        'access-control-allow-methods': corsRoutes.map(route => route.method).join(', '),
        'access-control-allow-headers': 'Authorization, Content-Type',
        'access-control-max-age': '86400',
      })
      .code(204)
      .send()
  }
  await nearest?.onUnrouted?.(request, reply, params)
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const unknown = routes.length === 0 && nearest === undefined
  if (reads && unknown && webClient.couldBePage(path) && (webClient.isPage(path) || acceptsHtml(request))) {
    // The web client shows its own "not found" page in the language of the user.
    const isPage = webClient.isPage(path)
    if (!isPage) reply.code(404)
    reply.header('vary', isPage ? 'Cookie' : 'Accept, Cookie')
    const html = withTheme(webClient.page(), request.theme)
    return reply.type('text/html; charset=utf-8').headers(pageHeaders).send(html)
  }
  const allowed = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  if (!reads && unknown && (webClient.isPage(path) || webClient.isFile(path))) allowed.push('GET', 'HEAD')
  // 404 and 405 are cacheable by default (RFC 9110 §15.1).
  reply.header('cache-control', 'no-store')
  const suggestion = routes.length === 0 ? request.server.routeLookup.suggest(path) : undefined
  if (allowed.length === 0) {
    const details = suggestion === undefined ? {} : { technical: `Use ${suggestion}.` }
    throw new LocalizedError('not_found', 'error.unknownPath', details)
  }
  const names = [...new Set(allowed)].join(', ')
  reply.header('allow', names)
  const hint = suggestion === undefined ? `Use ${names}.` : `Use the path ${suggestion}.`
  throw new AppError('method_not_allowed', `${request.method} is not supported here. ${hint}`)
}

interface Shared {
  cookieName: string
  timers: Timers
  runAtTurnEnd: (work: () => void) => void
  watchResponse: ReturnType<typeof createSlowReaderWatch> | undefined
}

function mountOne(
  app: FastifyInstance,
  route: Route,
  options: AppOptions,
  { cookieName, timers, runAtTurnEnd, watchResponse }: Shared,
): void {
  const response: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(route.responses)) {
    if (schema) response[status] = schema
  }
  const schema: Record<string, unknown> = { response }
  if (route.params) schema.params = route.params
  if (route.query) schema.querystring = route.query
  if (route.body) schema.body = route.body

  const { session, bearer, bot } = route.caller
  const acceptsCredentials = Boolean(session || bearer || bot)

  const handle = createHandler(route, options.rateLimiter)

  async function authenticateCaller(request: FastifyRequest): Promise<void> {
    request.caller = await authenticate(request, route.caller, options.authenticators, cookieName)
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (route.rejectCrossSite) rejectCrossSite(request, options.baseUrl)
    if (acceptsCredentials) await authenticateCaller(request)
    if (request.caller?.kind === 'session') rejectCrossSite(request, options.baseUrl)
    if (countsAsRequest(request)) options.rateLimiter.checkRequest(limitKeyOf(request.caller))
    if (route.beforeBody) await route.beforeBody(request, reply)
  }

  const acceptedMediaTypes = mediaTypesOf(route)
  const validateParams = route.params && compileValidator({ schema: route.params, httpPart: 'params' })

  /** Errors that precede reading the body. Path parameters are validated first, as for requests without a body. */
  function findErrorBeforeBody(request: FastifyRequest): Error | undefined {
    const paramsError = hasBody(request) ? validateParams?.(request.params).error : undefined
    if (paramsError) return paramsError
    return findMediaTypeError(request, acceptedMediaTypes) ?? app.clientErrors.findParserError(request.raw)
  }

  app.route({
    method: route.method,
    url: route.path,
    schema,
    bodyLimit: maxBodyBytesOf(route),
    onRequest: (request, reply, done) => {
      request.route = route
      request.errorFormat = route.errorFormat
      if (route.cors) reply.headers(corsHeaders)
      // For speed: the requests of one turn of the event loop run together, after the headers of all of them are
      // parsed. Nearly every body has arrived completely by then.
      runAtTurnEnd(() => void admit(request, reply).then(() => done(), done))
    },
    preParsing: (request, _reply, payload, done) => {
      // A malformed Content-Type counts as none: otherwise Fastify would respond 415.
      if (acceptedMediaTypes === undefined && request.mediaType === undefined)
        delete request.raw.headers['content-type']
      const error = findErrorBeforeBody(request)
      // No timeout for a body that has arrived completely.
      if (!error && hasBody(request) && !request.raw.complete) {
        request.isBodyLate = true
        startBodyTimeout(request.raw, timers)
      }
      done(error, payload)
    },
    ...(acceptsNoBody(route) ? { preValidation: useEmptyObject } : {}),
    handler: (request, reply) =>
      countsAsRequest(request) && !route.waitsForBot
        ? options.rateLimiter.runInQueue(limitKeyOf(request.caller), hasWaited =>
            handleRequest(request, reply, hasWaited),
          )
        : handleRequest(request, reply, false),
  })

  async function handleRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    hasWaited: boolean,
  ): Promise<unknown> {
    // The session or token may have ended since the request was authenticated: a body may take up to 30 seconds.
    if ((request.isBodyLate || hasWaited) && acceptsCredentials) await authenticateCaller(request)
    const { caller, params, query, body: given } = request
    const response = await handle({ caller, params, query, body: given, request, reply })
    reply.code(response.status)
    if (response.headers) reply.headers(response.headers)
    if (response.cost && countsAsRequest(request)) {
      options.rateLimiter.addRequests(limitKeyOf(request.caller), response.cost)
    }
    if (response.body === undefined) {
      // Fastify interprets undefined as a response that will be sent later.
      reply.send()
      return reply
    }
    const serialized = serializeBody(reply, response.body)
    // For speed: `await` of a value takes a turn of the microtask queue.
    const body = serialized instanceof Promise ? await serialized : serialized
    watchResponse?.(request.raw, reply.raw, request.caller && limitKeyOf(request.caller), body.length)
    if (typeof body === 'string') {
      const forBytes = Math.floor(Buffer.byteLength(body) / responseBytesPerRequest)
      request.countedAs?.bucket.add(request.countedAs.key, forBytes)
      if (countsAsRequest(request)) options.rateLimiter.addRequests(limitKeyOf(request.caller), forBytes)
    }
    return body
  }
}

/**
 * Returns text and bytes unchanged, with the type that the route set; other bodies as JSON with the schema of the
 * status.
 */
function serializeBody(reply: FastifyReply, body: unknown): string | Buffer | Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // Fastify would add a charset parameter to JSON, which RFC 8259 §11 does not define.
  reply.serializer(String)
  if (typeof body !== 'string') {
    const serialize = reply.getSerializationFunction(String(reply.statusCode)) ?? JSON.stringify
    reply.type(json)
    return Array.isArray(body) && body.length > 0 ? serializeList(serialize, body) : serialize(body)
  }
  if (!reply.hasHeader('content-type')) reply.type('text/html; charset=utf-8')
  return body
}

/** A list may take long, also a short one with large items. */
async function serializeList(
  serialize: (list: readonly unknown[]) => string,
  list: readonly unknown[],
): Promise<string> {
  const items = await mapWithPauses(list, item => serialize([item]).slice(1, -1))
  return `[${items.join()}]`
}

const json = 'application/json'

/** RFC 9112 §6: a request has a body if it has Content-Length or Transfer-Encoding. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function useEmptyObject(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) request.body = {}
  done()
}

/** 415 for a body with a type that the route does not accept. `accepted` is undefined if it accepts every type. */
function findMediaTypeError(
  request: FastifyRequest,
  accepted: readonly string[] | undefined,
): AppError | undefined {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new AppError('unsupported_media_type', 'Content-Encoding is not accepted here.')
  }
  const type = request.headers['content-type']
  if (type === undefined || accepted === undefined) return undefined
  const name = (type.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (accepted.includes(name) || !hasBody(request)) return undefined
  return unsupportedMediaType(accepted)
}

function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const route = request.route
  const error = toAppError(thrown, route && maxBodyBytesOf(route))
  const context = { route: route?.path, reqId: request.id }
  if (error.status >= 500) request.log.error({ err: error.cause ?? error, ...context }, error.message)
  if (route && !isDeclared(route.errors, error.code)) {
    // An undeclared error is a programming error. The client still gets its response.
    request.log.error({ ...context, code: error.code }, 'undeclared error')
  }
  const errorFormat = request.errorFormat ?? nativeErrorFormat
  const { method, locale, theme } = request
  const isBadUrl = error.code === 'malformed_request' || error.code === 'uri_too_long'
  const url = isBadUrl ? undefined : request.url
  const response = errorFormat(error, request.id, { method, locale, theme, url })
  route?.onErrorResponse?.(request, error, response.status)
  // Otherwise the rest of the body would be parsed as the next request.
  if (error.code === 'request_timeout') reply.header('connection', 'close')
  if (error.status < 500) {
    const reason = error.reason ?? error.message
    request.log.debug({ ...context, code: error.code, status: response.status, reason }, 'rejected')
  }
  reply.code(response.status).headers(errorHeaders(error))
  if (response.headers) reply.headers(response.headers)
  if (route && !reply.hasHeader('www-authenticate')) {
    const authenticateHeader = challenge(route.caller, error, request.headers.authorization)
    if (authenticateHeader) reply.header('www-authenticate', authenticateHeader)
  }
  reply.type(response.contentType ?? json)
  const body = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
  return reply.serializer(String).send(body)
}
