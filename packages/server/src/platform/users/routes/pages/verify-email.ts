import { type Route, seeOther } from '../../../../http/route.ts'
import { FieldTakenError } from '../../unique-fields.ts'
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
          const verifying = await users.checkVerificationToken(token)
          return page.render({ title, data: { state: 'form', token, verifying } })
        } catch (error) {
          return page.renderError({ title, data: { state: 'linkInvalid' } }, error)
        }
      },
    }),
    formRoute(deps, {
      name: 'verify-email',
      path: '/verify-email',
      summary: 'Verifies an email address, from the form.',
      caller: { anonymous: true },
      handle: async ({ request, body, page }) => {
        try {
          await users.verifyEmail(field(body, 'token'), request.locale)
        } catch (error) {
          const state = error instanceof FieldTakenError ? 'taken' : 'linkInvalid'
          return page.renderError({ title, data: { state } }, error)
        }
        return seeOther('/verify-email?notice=confirmed')
      },
    }),
  ]
}
