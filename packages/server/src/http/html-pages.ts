import { fileURLToPath } from 'node:url'
import { type Locale, localeNames, locales } from '@gatehouse/protocol/locales'
import { colorSchemeOf } from '@gatehouse/protocol/themes'
import { Eta } from 'eta'
import { errorText, LocalizedError } from '../i18n/localized-error.ts'
import { type Translate, translateTo } from '../i18n/translate.ts'
import { constantTimeEqual, createMac } from '../kit/secret.ts'
import type { ErrorFormat, PageRequest } from './error-formats.ts'
import { packPath } from './packed-path.ts'
import { contentSecurityPolicy } from './security-headers.ts'

/**
 * HTML pages that work without JavaScript (sign-in/sign-in-pages), in the language of the request. Templates are in the
 * folder `pages/` of their feature; the shared layout is `http/templates/layout.eta`.
 */
export interface Pages {
  /** The renderer for the response to this request. */
  for(request: PageRequest): PageRenderer
}

export interface PageRenderer {
  readonly locale: Locale
  readonly t: Translate
  /**
   * Renders `<folder>/<name>.eta` in the layout. Values are escaped by default. Templates read locale messages with
   * `it.t('key')`.
   */
  render(
    folder: URL,
    name: string,
    data: Readonly<Record<string, unknown>> & { title: string },
    options?: PageOptions,
  ): { headers: Record<string, string>; body: string }
  /** For a page that has its own layout: the headers, and what the layout shows beside the content. */
  frame(options?: PageOptions): {
    headers: Record<string, string>
    languages: LanguageLink[]
    brand: Branding
  }
}

/** The name and the logo of the community. */
interface Branding {
  name: string
  /** The path of the image; null without one. */
  logo: string | null
}

interface LanguageLink {
  locale: Locale
  name: string
  href: string
}

interface PageOptions {
  /** Further origins or schemes to which a form may redirect; see `pageHeaders`. */
  formAction?: readonly string[]
  /** Whether the page loads a script of this service. */
  script?: boolean
  /** Whether the script sends requests to this service. */
  connect?: boolean
  /**
   * The path of the page for GET, to which a change of the language returns. Defaults to the path of a GET request.
   * Without a path the page has no links to other languages.
   */
  returnPath?: string | undefined
}

export function createPages(readBranding: () => Branding): Pages {
  const eta = new Eta({
    views: fileURLToPath(new URL('./templates', import.meta.url)),
    cache: true,
    autoEscape: true,
  })
  const folders = new Map<string, Eta>()

  function engineFor(folder: URL): Eta {
    const key = fileURLToPath(folder)
    let engine = folders.get(key)
    if (!engine) {
      engine = new Eta({ views: key, cache: true, autoEscape: true })
      folders.set(key, engine)
    }
    return engine
  }

  return {
    for({ method, url, locale, theme }) {
      const t = translateTo(locale)
      const frame: PageRenderer['frame'] = (options = {}) => ({
        headers: { ...pageHeaders(options), ...languageHeaders(locale) },
        languages: languageLinks(options.returnPath ?? (isRead(method) ? url : undefined)),
        brand: readBranding(),
      })
      return {
        locale,
        t,
        frame,
        render(folder, name, data, options) {
          const { headers, ...shown } = frame(options)
          const body = engineFor(folder).render(`./${name}`, { ...data, t })
          const values = { ...data, t, locale, ...shown, colorScheme: colorSchemeOf(theme), body }
          return { headers, body: eta.render('./layout', values) }
        },
      }
    },
  }
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Links to the page at `path` in each language. The path is packed: an error page about a link must not contain it. */
function languageLinks(path: string | undefined): LanguageLink[] {
  if (path === undefined) return []
  const page = packPath(path)
  return locales.map(locale => ({
    locale,
    name: localeNames[locale],
    href: `/language?${new URLSearchParams({ locale, page })}`,
  }))
}

/** RFC 9110 §8.5, §12.5.5. The cookies are those of preference-cookies.ts. */
function languageHeaders(locale: Locale): Record<string, string> {
  return { 'content-language': locale, vary: 'Accept-Language, Cookie' }
}

/**
 * The headers of every sign-in page (sign-in/page-headers). `formAction` contains the origin or scheme of the redirect
 * URI, because browsers apply `form-action` to the redirect after a POST. `script` allows scripts of this service.
 */
function pageHeaders({
  formAction = [],
  script = false,
  connect = false,
}: PageOptions): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy({
      'default-src': ["'none'"],
      ...(script ? { 'script-src': ["'self'"] } : {}),
      ...(connect ? { 'connect-src': ["'self'"] } : {}),
      'style-src': ["'self'"],
      'img-src': ["'self'"],
      'form-action': ["'self'", ...formAction],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
    }),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

/**
 * CSRF tokens of HTML forms, bound to a session (before sign-in to a browser) and to one request (sign-in/form-token).
 */
export interface FormTokens {
  create(session: string, request: string): string
  /** Throws 403 `cross_site` unless the token is for this session and request. */
  verify(token: unknown, session: string, request: string): void
}

export function createFormTokens(secretKey: Uint8Array): FormTokens {
  function create(session: string, request: string): string {
    return createMac(secretKey, 'form', `${session}\0${request}`).toString('base64url')
  }
  return {
    create,
    verify(token, session, request) {
      if (typeof token === 'string' && constantTimeEqual(token, create(session, request))) return
      throw new LocalizedError('cross_site', 'error.formExpired')
    },
  }
}

/** Serializes errors as HTML pages. */
export function pageErrorFormat(pages: Pages): ErrorFormat {
  return (error, requestId, request) => {
    const page = pages.for(request)
    const { headers, body } = page.render(new URL('./templates/', import.meta.url), 'error', {
      title: page.t('error.title'),
      message: errorText(page.t, error),
      technical: error instanceof LocalizedError ? error.technical : undefined,
      requestId: error.status >= 500 ? requestId : undefined,
    })
    return { status: error.status, contentType: 'text/html; charset=utf-8', headers, body }
  }
}
