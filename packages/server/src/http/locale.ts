import type { IncomingMessage } from 'node:http'
import {
  defaultLocale,
  firstLocale,
  isLocale,
  type Locale,
  localeOfTag,
  locales,
} from '@gatehouse/protocol/locales'
import { preferenceCookieName } from '@gatehouse/protocol/preference-cookies'
import { readCookie } from './cookies.ts'
import { unpackPath } from './packed-path.ts'

interface LocaleRequest extends Pick<IncomingMessage, 'headers'> {
  url: string
  body?: unknown
}

/**
 * The language of a response: the one that the user chose, else `ui_locales` of the authorization request (OpenID
 * Connect Core §3.1.2.1), else `Accept-Language`, else the default.
 */
export function localeOf(request: LocaleRequest, baseUrl: string): Locale {
  const chosen = readCookie(request, preferenceCookieName('locale', baseUrl.startsWith('https:')))
  if (isLocale(chosen)) return chosen
  return (
    firstLocale(uiLocalesOf(request)) ??
    acceptedLocale(request.headers['accept-language'] ?? '') ??
    defaultLocale
  )
}

/** `ui_locales` of this URL or, on the sign-in pages, of the authorization request in `return_to`. */
function uiLocalesOf({ url, body }: LocaleRequest): string[] {
  const query = parametersOf(url)
  const posted = typeof body === 'object' && body !== null ? Reflect.get(body, 'return_to') : undefined
  const returnTo = unpackPath(query.get('return_to') ?? (typeof posted === 'string' ? posted : '')) ?? ''
  const tags = query.get('ui_locales') ?? parametersOf(returnTo).get('ui_locales') ?? ''
  return tags.split(' ')
}

function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

/**
 * The supported language with the highest weight in an `Accept-Language` field (RFC 9110 §12.5.4), or undefined. The
 * first of several with the same weight.
 */
export function acceptedLocale(field: string): Locale | undefined {
  const weights = new Map<Locale, number>()
  let wildcardWeight = 0
  for (const item of field.split(',')) {
    const [tag = '', ...parameters] = item.split(';').map(part => part.trim())
    const weight = weightOf(parameters)
    const locale = localeOfTag(tag)
    if (locale) weights.set(locale, Math.max(weight, weights.get(locale) ?? 0))
    else if (tag === '*') wildcardWeight = weight
  }
  // `*` matches the languages that no other range matches.
  for (const locale of locales) if (!weights.has(locale)) weights.set(locale, wildcardWeight)
  let best: Locale | undefined
  for (const [locale, weight] of weights) {
    if (weight > (best === undefined ? 0 : (weights.get(best) ?? 0))) best = locale
  }
  return best
}

/** RFC 9110 §12.4.2: the default weight is 1. */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find(parameter => /^q=/i.test(parameter))
  if (text === undefined) return 1
  const weight = Number(text.slice(2))
  return weight >= 0 && weight <= 1 ? weight : 0
}
