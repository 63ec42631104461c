import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form.ts'
import { type FormTokens, type Pages, pageHeaders } from '../../../../http/pages.ts'
import { AppError } from '../../../../kit/app-error.ts'
import { returnTo } from '../../return-to.ts'
import { browserOf } from '../browser.ts'
import { type Faults, faultsOf } from './faults.ts'

export interface PageDeps {
  pages: Pages
  formTokens: FormTokens
  baseUrl: string
  /**
   * Where redirects after a sign-in may end beside this service, as sources of a policy (D24): browsers hold the whole
   * chain of redirects after a post against the page's `form-action`. Asked of who owns the path that a person returns to.
   */
  formTargets: (returnTo: string) => Promise<readonly string[]>
}

/** Somebody before one of the pages of the sign-in. */
export interface Visit {
  /** Where they go when they are done; `/` unless they were sent from somewhere. */
  returnTo: string
  /** The id of the browser. */
  browser: string
  /** `?return_to=…`, or nothing: for the links from page to page. */
  onward: string
  /** Throws 403 where the posted form was not made for this browser, this session and this page (D69). */
  checkForm(body: FormBody): void
  show(page: Shown): Promise<Answer>
  /** The same page once more with what was wrong; what is no fault of the person's is thrown on. */
  showFailed(page: Omit<Shown, 'status'>, error: unknown): Promise<Answer>
}

type Status = 200 | 400 | 401 | 403 | 409 | 429

interface Shown {
  title: string
  status?: Status
  /** Whether the page brings a script of ours: the one that asks for a passkey. */
  script?: boolean
  /** What was entered, by the name of the field; never a password. */
  values?: Readonly<Record<string, string>>
  data?: Readonly<Record<string, unknown>>
}

export interface Answer {
  status: Status
  body: string
  headers: Record<string, string | string[]>
}

const folder = new URL('../../pages/', import.meta.url)

/** `given`: the parameters of the address, or the fields of the form. */
export function visit(
  deps: PageDeps,
  name: string,
  { request, caller, given }: { request: FastifyRequest; caller: SessionCaller | undefined; given: FormBody },
): Visit {
  const { pages, formTokens, baseUrl } = deps
  const back = returnTo(given.return_to, baseUrl)
  const { id: browser, cookies } = browserOf(request, baseUrl)
  const purpose = `${name} ${back ?? ''}`

  async function render(page: Shown, faults: Faults, extra: Record<string, string> = {}): Promise<Answer> {
    const target = back ?? '/'
    const targets = back === undefined ? [] : await deps.formTargets(back)
    const body = pages.render(folder, name, {
      title: page.title,
      values: page.values ?? {},
      faults,
      returnTo: back ?? '',
      continueTo: target,
      onward: onward(back),
      formToken: formTokens.make(holder(browser, caller), purpose),
      ...page.data,
    })
    const headers = pageHeaders(targets, { script: page.script ?? false })
    const fresh = cookies.length > 0 ? { 'set-cookie': cookies } : {}
    return { status: page.status ?? 200, body, headers: { ...headers, ...fresh, ...extra } }
  }

  return {
    returnTo: back ?? '/',
    browser,
    onward: onward(back),
    checkForm(body) {
      try {
        formTokens.check(body.form_token, holder(browser, caller), purpose)
      } catch (error) {
        // A form of this browser from before it was signed in, in another tab, is still this person's.
        if (!caller) throw error
        formTokens.check(body.form_token, holder(browser, undefined), purpose)
      }
    },
    show: page => render(page, {}),
    async showFailed(page, error) {
      if (!(error instanceof AppError)) throw error
      const status = shownStatus(error.status)
      if (status === undefined) throw error
      const extra: Record<string, string> = {}
      if (error.retryAfter !== undefined) extra['retry-after'] = String(error.retryAfter)
      // RFC 9110 §15.5.2: a 401 names a way to authenticate; browsers ask nothing for this one.
      if (status === 401) extra['www-authenticate'] = 'Session'
      return render({ ...page, status }, faultsOf(error), extra)
    },
  }
}

function shownStatus(status: number): Status | undefined {
  if (status === 400 || status === 401 || status === 409 || status === 429) return status
  return undefined
}

/** To whom a form is given: this browser, and the person who is signed in there. */
function holder(browser: string, caller: SessionCaller | undefined): string {
  return `${browser} ${caller?.sessionId ?? ''}`
}

function onward(back: string | undefined): string {
  return back === undefined ? '' : `?return_to=${encodeURIComponent(back)}`
}

/** The one value of a field; nothing where it came never or more than once. */
export function field(form: FormBody, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value : ''
}
