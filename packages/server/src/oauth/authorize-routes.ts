import { AuthorizeParameters } from '@gatehouse/protocol/oauth'
import type { FastifyRequest } from 'fastify'
import { requestInfoOf } from '../accounts/request-info.ts'
import { currentSessionOf } from '../accounts/sessions/index.ts'
import type { SessionCaller } from '../http/caller.ts'
import { browserOf } from '../http/cookies.ts'
import { type FormTokens, type PageRenderer, type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Html } from '../http/media.ts'
import { type Route, route, seeOther } from '../http/route.ts'
import { requireShortQuery } from './authorization-request.ts'
import type { AuthorizationEndpoint, AuthorizationResult } from './authorize.ts'
import type { Browser } from './end-user.ts'
import { consentPage } from './pages/consent-page.ts'
import { notAdmittedPage } from './pages/not-admitted-page.ts'
import { continuationCookie, unverifiedPage } from './pages/unverified-page.ts'
import { Parameters, parseQuery, toParameters } from './parameters.ts'

export function authorizeRoutes(
  endpoint: AuthorizationEndpoint,
  pages: Pages,
  formTokens: FormTokens,
  baseUrl: string,
): Route[] {
  const errorFormat = pageErrorFormat(pages)
  return [
    route('authorize', {
      summary: 'The authorization endpoint: signs the user in, asks for consent and redirects with a code.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      query: AuthorizeParameters,
      responses: { 200: Html, 303: null },
      errorFormat,
      handle: async ({ caller, request }) => {
        const { browser, cookies } = readBrowser(request, caller, baseUrl)
        const result = await endpoint.authorize(parseQuery(request.url), browser)
        return toResponse(result, pages.for(request), formTokens, cookies, baseUrl)
      },
    }),
    route('authorizeByForm', {
      summary: 'The same with the parameters in a form (OpenID Connect Core §3.1.2.1).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: AuthorizeParameters,
      bodyTypes: ['form'],
      responses: { 303: null },
      errorFormat,
      handle: async ({ body, request }) => redirectToGet('/oauth2/authorize', request.url, body),
    }),
  ]
}

/** `cookies` has the `Set-Cookie` value of a new browser id. */
export function readBrowser(
  request: FastifyRequest,
  caller: SessionCaller | undefined,
  baseUrl: string,
): { browser: Browser; cookies: string[] } {
  const { id, cookies } = browserOf(request, baseUrl)
  const currentSession = caller && currentSessionOf(request, caller, baseUrl)
  return { browser: { id, currentSession, request: requestInfoOf(request) }, cookies }
}

/** Redirects, or renders a page. */
export function toResponse(
  result: AuthorizationResult,
  page: PageRenderer,
  formTokens: FormTokens,
  cookies: string[],
  baseUrl: string,
) {
  const response = respondTo(result, page, formTokens)
  const all = result.kind === 'unverified' ? [...cookies, continuationCookie(baseUrl, result)] : cookies
  return all.length === 0 ? response : { ...response, headers: { ...response.headers, 'set-cookie': all } }
}

function respondTo(result: AuthorizationResult, page: PageRenderer, formTokens: FormTokens) {
  if (result.kind === 'redirect') return redirectWithoutCache(result.location)
  if (result.kind === 'not-admitted') return notAdmittedPage(page, result)
  if (result.kind === 'unverified') return unverifiedPage(page, formTokens, result)
  return consentPage(page, formTokens, result)
}

type Redirect = { status: 303; headers: { location: string; 'cache-control': string } }

/**
 * Redirects a POST to the GET of the same path, with all parameters in the query. Browsers do not send the session
 * cookie with a POST from another site, but they send it with the GET that follows (SameSite=Lax).
 */
export function redirectToGet(path: string, url: string, body: unknown): Redirect {
  const query = parseQuery(url)
  const pairs = [...query.pairs, ...toParameters(body).pairs].filter(([name]) => name !== '')
  const parameters = new Parameters(pairs, query.undecodable)
  requireShortQuery(parameters)
  return redirectWithoutCache(`${path}?${parameters}`)
}

/** The location may contain a code (sign-in/page-headers). */
export function redirectWithoutCache(location: string): Redirect {
  const { status, headers } = seeOther(location)
  return { status, headers: { ...headers, 'cache-control': 'no-store' } }
}
