import { AppError, invalid } from '../../errors/app-error.ts'
import type { FormBody } from '../../http/form.ts'
import type { Route } from '../../http/route.ts'
import type { FactorResponse } from '../second-factor/index.ts'
import { loginCookies, loginRequestOf, ticketCookie, ticketOf } from '../users/browser-session.ts'
import { userView } from '../users/user.ts'
import { findUser } from '../users/user-store.ts'
import { field, formRoute, type PageDeps, type PageRequest, pageRoute, seeOtherWith } from './page-route.ts'
import { createPasskeyReader } from './passkey-page.ts'

/** The page between the password and the session. Codes work without JavaScript. */
export function secondFactorPages(deps: PageDeps): Route[] {
  const { users, baseUrl } = deps
  const readPasskey = createPasskeyReader()
  return [
    pageRoute(deps, 'secondFactorPage', {
      name: 'second-factor',
      summary: 'The page for the second factor.',
      caller: { session: true, anonymous: true },
      handle: async ({ request, query, page }) => {
        const content = await secondFactorContent(deps, ticketOf(request, baseUrl), { fields: query, page })
        return content ? page.render(content) : restartLogin(deps, page)
      },
    }),
    formRoute(deps, 'secondFactorForm', {
      name: 'second-factor',
      summary: 'Completes a sign-in with a second factor, from the form.',
      caller: { session: true, anonymous: true },
      handle: async ({ request, caller, body, page }) => {
        const ticket = ticketOf(request, baseUrl)
        try {
          const response: FactorResponse =
            field(body, 'passkey') === '' ? { code: readCode(body) } : { passkey: readPasskey(body) }
          const result = await users.completeLogin(
            { ticket, response },
            loginRequestOf(request, caller, baseUrl),
          )
          const cookies = [...loginCookies(result, deps), ticketCookie(baseUrl, null)]
          return seeOtherWith(cookies, page.returnTo)
        } catch (error) {
          if (error instanceof AppError && error.code === 'unauthenticated') return restartLogin(deps, page)
          const content = await secondFactorContent(deps, ticket, { fields: body, page })
          return content ? page.renderError(content, error) : restartLogin(deps, page)
        }
      },
    }),
  ]
}

function readCode(form: FormBody): string {
  const code = field(form, 'code').trim()
  if (code === '') throw invalid('code', 'required', 'is required')
  return code
}

/** Undefined if the ticket is invalid, used or expired. */
async function secondFactorContent(
  { db, users }: PageDeps,
  ticket: string,
  { fields, page }: { fields: FormBody; page: PageRequest },
) {
  const found = await users.findMfaTicket(ticket, page.browserId)
  const user = found && (await findUser(db, found.userId))
  if (!found || !user) return undefined
  const { methods } = found
  const passkey = methods.includes('passkey')
    ? await users.createMfaOptions(ticket, page.browserId)
    : undefined
  return {
    title: 'secondFactor.title' as const,
    script: passkey !== undefined,
    data: {
      account: userView(user),
      passkey: passkey && JSON.stringify(passkey),
      totp: methods.includes('totp'),
      recoveryCodes: methods.includes('recovery_code'),
      recovery: field(fields, 'recovery') === '1' || !methods.includes('totp'),
    },
  }
}

function restartLogin({ baseUrl }: PageDeps, { returnToQuery }: PageRequest) {
  const query = returnToQuery === '' ? '?' : `${returnToQuery}&`
  return seeOtherWith(ticketCookie(baseUrl, null), `/login${query}notice=took-too-long`)
}
