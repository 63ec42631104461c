import type { FormBody } from '../../../../http/form.ts'
import type { Route } from '../../../../http/route.ts'
import { AppError, invalid } from '../../../../kit/app-error.ts'
import type { Sql } from '../../../../storage/database.ts'
import type { Proof } from '../../../second-factor/index.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { presentSession, seenOf, signedInCookies, ticketCookie, ticketOf } from '../browser.ts'
import { formRoute, pageRoute, seeOtherWith } from './form-route.ts'
import { createPasskeyReader } from './passkey.ts'
import { field, type PageDeps, type Visit } from './visit.ts'

interface Deps extends PageDeps {
  db: Sql
  users: Pick<Users, 'finishSignIn' | 'lookAtTicket' | 'passkeyOptions' | 'devices' | 'findUser' | 'userView'>
  sessions: Pick<Sessions, 'sessionCookie'>
}

/** Between the password and the session. Codes work without script, passkeys need it. */
export function secondFactorPage(deps: Deps): Route {
  return pageRoute(deps, {
    name: 'second-factor',
    path: '/login/second-factor',
    summary: 'The page for the second factor',
    caller: { session: true, anyone: true },
    handle: async ({ request, query, here }) => {
      const page = await pageFor(deps, ticketOf(request, deps.baseUrl), { given: query, here })
      return page ? here.show(page) : startAgain(deps, here)
    },
  })
}

export function secondFactorForm(deps: Deps): Route {
  const { users, sessions, baseUrl } = deps
  const readPasskey = createPasskeyReader()
  return formRoute(deps, {
    name: 'second-factor',
    path: '/login/second-factor',
    summary: 'Finish a sign-in by the page',
    caller: { session: true, anyone: true },
    handle: async ({ request, caller, body, here }) => {
      const ticket = ticketOf(request, baseUrl)
      try {
        const proof: Proof =
          field(body, 'passkey') === '' ? { code: codeOf(body) } : { passkey: readPasskey(body) }
        const from = { ...seenOf(request), ...presentSession(request, caller, baseUrl) }
        const signedIn = await users.finishSignIn({ ticket, browser: here.browser, proof }, from)
        const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
        return seeOtherWith([...cookies, ticketCookie(baseUrl, null)], here.returnTo)
      } catch (error) {
        if (error instanceof AppError && error.code === 'unauthenticated') return startAgain(deps, here)
        const page = await pageFor(deps, ticket, { given: body, here })
        return page ? here.showFailed(page, error) : startAgain(deps, here)
      }
    },
  })
}

function codeOf(form: FormBody): string {
  const code = field(form, 'code').trim()
  if (code === '') throw invalid('code', 'required', 'is required')
  return code
}

/** Undefined where the ticket does not hold (any more). */
async function pageFor(
  { db, users }: Deps,
  ticket: string,
  { given, here }: { given: FormBody; here: Visit },
) {
  const half = await users.lookAtTicket(ticket, here.browser)
  const user = half && (await users.findUser(db, half.userId))
  if (!half || !user) return undefined
  const { methods } = half
  const passkey = methods.includes('passkey') ? await users.passkeyOptions(ticket, here.browser) : undefined
  const recovery = field(given, 'recovery') === '1' || !methods.includes('totp')
  return {
    title: 'Second factor',
    script: passkey !== undefined,
    data: {
      account: users.userView(user),
      passkey: passkey && JSON.stringify(passkey),
      totp: methods.includes('totp'),
      recoveryCodes: methods.includes('recovery_code'),
      recovery,
    },
  }
}

function startAgain({ baseUrl }: Deps, here: Visit) {
  const onward = here.onward === '' ? '?' : `${here.onward}&`
  return seeOtherWith(ticketCookie(baseUrl, null), `/login${onward}notice=took-too-long`)
}
