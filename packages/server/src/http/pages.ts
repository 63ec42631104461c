import { createHmac, timingSafeEqual } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import { AppError } from '../kit/app-error.ts'
import type { ErrorDialect } from './errors.ts'

/**
 * Pages of HTML that work without script (D24). A template belongs to its feature and stands in the feature's folder
 * `pages/`; the frame that all share is `http/templates/layout.eta`.
 */
export interface Pages {
  /**
   * Renders `<folder>/<name>.eta` within the frame. `title` goes into the head; values are escaped unless the template
   * says otherwise.
   */
  render(folder: URL, name: string, data: Readonly<Record<string, unknown>> & { title: string }): string
}

export function createPages(productName = 'Gatehouse'): Pages {
  const eta = new Eta({
    views: fileURLToPath(new URL('./templates', import.meta.url)),
    cache: true,
    autoEscape: true,
  })
  const folders = new Map<string, Eta>()
  return {
    render(folder, name, data) {
      const key = fileURLToPath(folder)
      let own = folders.get(key)
      if (!own) {
        own = new Eta({ views: key, cache: true, autoEscape: true })
        folders.set(key, own)
      }
      const body = own.render(`./${name}`, data)
      return eta.render('./layout', { ...data, productName, body })
    },
  }
}

/**
 * Headers of every page of the sign-in (D24). `formAction` is where a form's redirect may end beside this service: the
 * origin or scheme of this request's redirect, since browsers apply `form-action` to the redirect after the post.
 * `script` lets a file of this service run, on the pages that bring one.
 */
export function pageHeaders(
  formAction: readonly string[] = [],
  { script = false }: { script?: boolean } = {},
): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...(script ? ["script-src 'self'"] : []),
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${["'self'", ...formAction].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

/** Tokens of HTML forms (D69): bound to a session (or to a browser before sign-in) and to the request they were made for. */
export interface FormTokens {
  make(session: string, request: string): string
  /** Throws 403 `cross_site` where the token is not of this session and request. */
  check(token: unknown, session: string, request: string): void
}

export function createFormTokens(secretKey: Uint8Array): FormTokens {
  function make(session: string, request: string): string {
    return createHmac('sha256', secretKey)
      .update('form\0')
      .update(`${session}\0${request}`)
      .digest('base64url')
  }
  return {
    make,
    check(token, session, request) {
      const expected = Buffer.from(make(session, request))
      const given = Buffer.from(typeof token === 'string' ? token : '')
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw new AppError(
          'cross_site',
          'This form is not yours or no longer current. Go back and try again.',
        )
      }
    },
  }
}

/** Errors of pages, as a page. */
export function pageDialect(pages: Pages): ErrorDialect {
  return (error, requestId) => ({
    status: error.status,
    contentType: 'text/html; charset=utf-8',
    headers: pageHeaders(),
    body: pages.render(new URL('./templates/', import.meta.url), 'error', {
      title: 'That did not work',
      message: error.message,
      errors: error.errors ?? [],
      requestId: error.status >= 500 ? requestId : undefined,
    }),
  })
}
