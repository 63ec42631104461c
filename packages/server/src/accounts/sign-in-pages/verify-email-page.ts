import { cookieName, formatCookie, readCookie } from '../../http/cookies.ts'
import type { Route } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import { FieldTakenError } from '../users/unique-fields.ts'
import { field, formRoute, type PageDeps, pageRoute, seeOtherWith } from './page-route.ts'
import { parseReturnTo } from './return-to.ts'

const title = 'verify.title'

/** A user who must sign in before they use the link has this time. */
const signInSeconds = 60 * 60

/** A GET does not consume the token: mail scanners open the links in mails. */
export function verifyEmailPages(deps: PageDeps): Route[] {
  const { users, baseUrl } = deps
  /** During a sign-in the token is in a cookie, because URLs contain no secrets. Null removes the cookie. */
  const tokenCookie = (token: string | null) => formatCookie(baseUrl, 'verification', token, signInSeconds)
  return [
    pageRoute(deps, 'verifyEmailPage', {
      name: 'verify-email',
      summary: 'The page to verify an email address.',
      caller: { session: true, anonymous: true },
      handle: async ({ request, caller, query, page }) => {
        if (field(query, 'notice') === 'confirmed') {
          // The authorization request that the user interrupted (sign-in/email-verified-only).
          const sent = readCookie(request, cookieName(baseUrl, 'continuation'))
          const continueTo = parseReturnTo(sent, baseUrl) ?? '/'
          const cookies = sent === undefined ? [] : [formatCookie(baseUrl, 'continuation', null)]
          return page.render({ title, data: { state: 'verified', continueTo }, cookies })
        }
        const token =
          field(query, 'token') || (readCookie(request, cookieName(baseUrl, 'verification')) ?? '')
        try {
          const verifying = await users.checkVerificationToken(token, caller?.userId)
          const { mayUse } = verifying
          return page.render({
            title,
            data: { state: mayUse ? 'form' : 'signIn', token, verifying },
            ...(mayUse ? {} : { cookies: [tokenCookie(token)] }),
          })
        } catch (error) {
          return page.renderError({ title, data: { state: 'linkInvalid' } }, error)
        }
      },
    }),
    formRoute(deps, 'verifyEmailForm', {
      name: 'verify-email',
      summary: 'Verifies an email address, from the form.',
      caller: { session: true, anonymous: true },
      handle: async ({ request, caller, body, page }) => {
        try {
          await users.verifyEmail(field(body, 'token'), {
            ...requestInfoOf(request),
            callerId: caller?.userId,
          })
        } catch (error) {
          const state = error instanceof FieldTakenError ? 'taken' : 'linkInvalid'
          return page.renderError({ title, data: { state } }, error)
        }
        return seeOtherWith(tokenCookie(null), '/verify-email?notice=confirmed')
      },
    }),
  ]
}
