import { minPassword } from '@gatehouse/protocol/limits'
import { ResetPasswordBody } from '@gatehouse/protocol/users'
import { AppError } from '../../errors/app-error.ts'
import { type Route, seeOther } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import { createFormValidator } from './form-validation.ts'
import { field, formRoute, type PageDeps, pageRoute } from './page-route.ts'

const title = 'reset.title'

/** A GET does not consume the token: mail scanners open the links in mails. */
export function resetPasswordPages(deps: PageDeps): Route[] {
  const { users } = deps
  const validate = createFormValidator<ResetPasswordBody>(ResetPasswordBody)
  return [
    pageRoute(deps, 'resetPasswordPage', {
      name: 'reset-password',
      summary: 'The page to set a new password.',
      caller: { anonymous: true },
      handle: async ({ query, page }) => {
        const token = field(query, 'token')
        try {
          await users.checkResetToken(token)
        } catch (error) {
          return page.renderError({ title, data: { token, linkInvalid: true } }, error)
        }
        return page.render({ title, data: { token, linkInvalid: false, minPassword } })
      },
    }),
    formRoute(deps, 'resetPasswordForm', {
      name: 'reset-password',
      summary: 'Sets a new password, from the form.',
      caller: { anonymous: true },
      handle: async ({ request, body, page }) => {
        const token = field(body, 'token')
        try {
          const reset = validate({ token, password: field(body, 'password') })
          await users.resetPassword(reset, requestInfoOf(request))
        } catch (error) {
          const data = { token, linkInvalid: isTokenError(error), minPassword }
          return page.renderError({ title, data }, error)
        }
        return seeOther('/login?notice=password-changed')
      },
    }),
  ]
}

function isTokenError(error: unknown): boolean {
  return error instanceof AppError && (error.errors ?? []).some(({ path }) => path === 'token')
}
