import { formatCookie } from '../../http/cookies.ts'
import type { FormTokens, PageRenderer } from '../../http/html-pages.ts'
import { packPath } from '../../http/packed-path.ts'
import type { UnverifiedScreen } from '../authorize.ts'
import { signInPath } from '../end-user.ts'
import { toFormActionSource } from '../redirect-uri.ts'
import { destinationOf } from './consent-page.ts'

/** A cookie has at most 4,096 bytes with its name and attributes. */
const maxContinuation = 3500
const continuationSeconds = 60 * 60

/**
 * Lets the page that verifies the address return to the request. Too long a request returns only by the button of this
 * page.
 */
export function continuationCookie(baseUrl: string, { parameters }: UnverifiedScreen): string {
  const path = packPath(`/oauth2/authorize?${parameters}`)
  const value = path.length > maxContinuation ? null : path
  return formatCookie(baseUrl, 'continuation', value, continuationSeconds)
}

/** Says that the user verifies the email address first, and offers another mail (sign-in/email-verified-only). */
export function unverifiedPage(
  page: PageRenderer,
  formTokens: FormTokens,
  { request: { redirectUri }, user, bindings, parameters, mail }: UnverifiedScreen,
): { status: 200; headers: Record<string, string>; body: string } {
  const path = `/oauth2/authorize?${parameters}`
  const data = {
    title: page.t('unverified.title'),
    user,
    destination: redirectUri === undefined ? undefined : destinationOf(page.t, redirectUri).text,
    action: `/oauth2/consent?${parameters}`,
    token: formTokens.create(bindings.session, bindings.request),
    mail,
    path,
    changeAccount: signInPath(parameters, { reauthenticate: true }),
  }
  const rendered = page.render(new URL('./', import.meta.url), 'unverified', data, {
    formAction: redirectUri === undefined ? [] : [toFormActionSource(redirectUri)],
    returnPath: path,
  })
  return { status: 200, ...rendered }
}
