import { endpointOf, type PageId } from '@gatehouse/protocol/endpoints'
import type { FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../../errors/app-error.ts'
import type { SessionCaller } from '../../http/caller.ts'
import { browserOf } from '../../http/cookies.ts'
import { Form, type FormBody } from '../../http/form.ts'
import { type FormTokens, type Pages, pageErrorFormat } from '../../http/html-pages.ts'
import { Html } from '../../http/media.ts'
import { type Route, route, seeOther } from '../../http/route.ts'
import type { Key } from '../../i18n/en.ts'
import type { Database } from '../../storage/database.ts'
import type { LoginRouteDeps } from '../users/browser-session.ts'
import { type FormErrors, formErrorsOf } from './form-validation.ts'
import { parseReturnTo } from './return-to.ts'

export interface PageDeps extends LoginRouteDeps {
  db: Database
  pages: Pages
  formTokens: FormTokens
  /**
   * The origins that a redirect after the sign-in may reach if it returns to `path`: browsers apply `form-action` to
   * every redirect after a form post (sign-in/page-headers).
   */
  formTargets: (path: string) => Promise<readonly string[]>
}

const pageResponses = {
  200: Html,
  303: null,
  400: Html,
  401: Html,
  403: Html,
  409: Html,
  429: Html,
} as const

type PageStatus = Exclude<keyof typeof pageResponses, 303>

interface PageResponse {
  status: PageStatus
  body: string
  headers: Record<string, string | string[]>
}

interface Redirect {
  status: 303
  headers: Readonly<Record<string, string | string[]>>
}

interface PageContent {
  title: Key
  status?: PageStatus
  /** Whether the page has the script for passkeys. */
  script?: boolean
  /** The values of fields, by name. Never a password. */
  values?: Readonly<Record<string, string>>
  /** `Set-Cookie` values. */
  cookies?: readonly string[]
  /** Further variables of the template. */
  data?: Readonly<Record<string, unknown>>
}

/** The request for a sign-in page or the post of its form. */
export interface PageRequest {
  /** The path to open after the sign-in. The default is `/`. */
  returnTo: string
  /** `?return_to=…` for links to the other sign-in pages, or ''. */
  returnToQuery: string
  browserId: string
  render(content: PageContent): Promise<PageResponse>
  /** Renders the page with the messages of `error`. Rethrows an error that the user cannot correct. */
  renderError(content: Omit<PageContent, 'status'>, error: unknown): Promise<PageResponse>
}

interface HandlerInput {
  request: FastifyRequest
  caller: SessionCaller | undefined
  page: PageRequest
}

interface PageSpec {
  /** The name of the template in `users/pages/`. */
  name: string
  summary: string
  /** With `session`, the handler gets the signed-in user, if there is one. */
  caller: { readonly anonymous: true } | { readonly session: true; readonly anonymous: true }
}

/** Declares a sign-in page. */
export function pageRoute(
  deps: PageDeps,
  id: PageId,
  {
    name,
    handle,
    ...spec
  }: PageSpec & { handle: (input: HandlerInput & { query: FormBody }) => Promise<PageResponse | Redirect> },
): Route {
  return route(id, {
    ...spec,
    tag: 'Pages',
    query: Form,
    responses: pageResponses,
    errorFormat: pageErrorFormat(deps.pages),
    handle: ({ request, caller, query }) => {
      const { page } = createPageRequest(
        deps,
        { name, path: endpointOf(id).path },
        { request, caller, fields: query },
      )
      return handle({ request, caller, query, page })
    },
  })
}

/**
 * Declares the target of a form. `handle` runs only if the form token is valid (sign-in/form-token). `page` is the page
 * with the form, if its path is another one.
 */
export function formRoute(
  deps: PageDeps,
  id: PageId,
  {
    name,
    page: pageId = id,
    handle,
    ...spec
  }: PageSpec & {
    page?: PageId
    errors?: readonly ErrorCode[]
    handle: (input: HandlerInput & { body: FormBody }) => Promise<PageResponse | Redirect>
  },
): Route {
  return route(id, {
    ...spec,
    tag: 'Pages',
    bodyTypes: ['form'],
    body: Form,
    responses: pageResponses,
    errorFormat: pageErrorFormat(deps.pages),
    rejectCrossSite: true,
    handle: async ({ request, caller, body }) => {
      const { page, checkFormToken } = createPageRequest(
        deps,
        { name, path: endpointOf(pageId).path },
        { request, caller, fields: body },
      )
      checkFormToken(body)
      return handle({ request, caller, body, page })
    },
  })
}

/** A redirect that sets cookies. */
export function seeOtherWith(cookies: string | string[], location: string): Redirect {
  const { status, headers } = seeOther(location)
  return { status, headers: { ...headers, 'set-cookie': cookies } }
}

/** The value of a field, or '' if the field is missing or repeated. */
export function field(form: FormBody, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value : ''
}

const templates = new URL('./', import.meta.url)

/** `fields` are the query parameters or the form fields. `path` is where a GET shows the page. */
function createPageRequest(
  deps: PageDeps,
  { name, path }: { name: string; path: string },
  {
    request,
    caller,
    fields,
  }: { request: FastifyRequest; caller: SessionCaller | undefined; fields: FormBody },
): { page: PageRequest; checkFormToken: (body: FormBody) => void } {
  const { pages, formTokens, baseUrl } = deps
  const returnTo = parseReturnTo(fields.return_to, baseUrl)
  // As it was sent, because a packed path does not grow.
  const sentReturnTo = returnTo === undefined ? '' : field(fields, 'return_to')
  const returnToQuery = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(sentReturnTo)}`
  const { id: browserId, cookies } = browserOf(request, baseUrl)
  const tokenHolder = (sessionId: string) => `${browserId} ${sessionId}`
  const tokenPurpose = `${name} ${returnTo ?? ''}`

  async function render(
    content: PageContent,
    fieldErrors: FormErrors = {},
    errorHeaders: Record<string, string> = {},
  ): Promise<PageResponse> {
    const writer = pages.for(request)
    const data = {
      title: writer.t(content.title),
      values: content.values ?? {},
      fieldErrors,
      returnTo: sentReturnTo,
      continueTo: returnTo ?? '/',
      returnToQuery,
      formToken: formTokens.create(tokenHolder(caller?.sessionId ?? ''), tokenPurpose),
      ...content.data,
    }
    const { headers, body } = writer.render(templates, name, data, {
      formAction: returnTo === undefined ? [] : await deps.formTargets(returnTo),
      script: content.script ?? false,
      returnPath: pageUrl(path, fields),
    })
    const allCookies = [...cookies, ...(content.cookies ?? [])]
    const setCookie = allCookies.length > 0 ? { 'set-cookie': allCookies } : {}
    return { status: content.status ?? 200, body, headers: { ...headers, ...setCookie, ...errorHeaders } }
  }

  return {
    page: {
      returnTo: returnTo ?? '/',
      returnToQuery,
      browserId,
      render: content => render(content),
      async renderError(content, error) {
        if (!(error instanceof AppError)) throw error
        const { status } = error
        if (status !== 400 && status !== 401 && status !== 409 && status !== 429) throw error
        const headers: Record<string, string> = {}
        if (error.retryAfter !== undefined) headers['retry-after'] = String(error.retryAfter)
        // RFC 9110 §15.5.2 requires a challenge in a 401. Browsers show no dialog for this scheme.
        if (status === 401) headers['www-authenticate'] = 'Session'
        return render({ ...content, status }, formErrorsOf(error, pages.for(request).t), headers)
      },
    },
    checkFormToken(body) {
      try {
        formTokens.verify(body.form_token, tokenHolder(caller?.sessionId ?? ''), tokenPurpose)
      } catch (error) {
        // The user may have signed in in another tab since the form was rendered in this browser.
        if (!caller) throw error
        formTokens.verify(body.form_token, tokenHolder(''), tokenPurpose)
      }
    },
  }
}

/** The parameters that the links to the page in another language repeat. */
const repeatedParameters = [
  'return_to',
  'reauthenticate',
  'recovery',
  'token',
  'invite',
  'notice',
  'login_hint',
]

function pageUrl(path: string, fields: FormBody): string {
  const parameters = new URLSearchParams()
  for (const name of repeatedParameters) {
    const value = field(fields, name)
    if (value !== '') parameters.append(name, value.toWellFormed())
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`
}
