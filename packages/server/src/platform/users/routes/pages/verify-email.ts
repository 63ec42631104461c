import { type Route, seeOther } from '../../../../http/route.ts'
import { field, formRoute, type PageDeps, pageRoute } from './page-route.ts'

const title = 'verify.title'

/** A GET does not consume the token: mail scanners open the links in mails. */
export function verifyEmailPages(deps: PageDeps): Route[] {
  const { users } = deps
  return [
    pageRoute(deps, {
      name: 'verify-email',
      path: '/verify-email',
      summary: 'The page to verify an email address.',
      caller: { anonymous: true },
      handle: async ({ query, page }) => {
        if (field(query, 'notice') === 'confirmed') {
          return page.render({ title, data: { state: 'verified' } })
        }
        const token = field(query, 'token')
        try {
          await users.checkVerificationToken(token)
        } catch (error) {
          return page.renderError({ title, data: { state: 'linkInvalid' } }, error)
        }
        return page.render({ title, data: { state: 'form', token } })
      },
    }),
    formRoute(deps, {
      name: 'verify-email',
      path: '/verify-email',
      summary: 'Verifies an email address, from the form.',
      caller: { anonymous: true },
      handle: async ({ body, page }) => {
        try {
          await users.verifyEmail(field(body, 'token'))
        } catch (error) {
          return page.renderError({ title, data: { state: 'linkInvalid' } }, error)
        }
        return seeOther('/verify-email?notice=confirmed')
      },
    }),
  ]
}
