import { ForgotPasswordBody } from '@gatehouse/protocol/users'
import { type Route, seeOther } from '../../http/route.ts'
import { createFormValidator } from './form-validation.ts'
import { field, formRoute, type PageDeps, pageRoute } from './page-route.ts'

const title = 'forgot.title'

/** The response does not depend on whether the account exists. */
export function forgotPasswordPages(deps: PageDeps): Route[] {
  const validate = createFormValidator<ForgotPasswordBody>(ForgotPasswordBody)
  return [
    pageRoute(deps, 'forgotPasswordPage', {
      name: 'forgot-password',
      summary: 'The page to request a password reset link.',
      caller: { anonymous: true },
      handle: async ({ query, page }) =>
        page.render({ title, data: { sent: field(query, 'notice') === 'sent' } }),
    }),
    formRoute(deps, 'forgotPasswordForm', {
      name: 'forgot-password',
      summary: 'Sends a password reset link, from the form.',
      caller: { anonymous: true },
      handle: async ({ request, body, page }) => {
        const values = { email: field(body, 'email') }
        try {
          await deps.users.forgotPassword(validate(values).email, request)
        } catch (error) {
          return page.renderError({ title, values, data: { sent: false } }, error)
        }
        const { returnToQuery } = page
        return seeOther(`/forgot-password${returnToQuery === '' ? '?' : `${returnToQuery}&`}notice=sent`)
      },
    }),
  ]
}
