import {
  PasskeyRequestOptions,
  SecondFactorBody,
  SecondFactorTicket,
} from '@gatehouse/protocol/second-factor'
import { SelfUser } from '@gatehouse/protocol/users'
import { ok, type Route, route } from '../../../http/route.ts'
import { invalid } from '../../../kit/app-error.ts'
import type { Proof } from '../../second-factor/index.ts'
import type { Sessions } from '../../sessions/index.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'
import { browserOf, presentSession, seenOf, signedInCookies } from './browser.ts'

interface Deps {
  users: Pick<Users, 'finishSignIn' | 'passkeyOptions' | 'devices'>
  sessions: Pick<Sessions, 'sessionCookie'>
  baseUrl: string
}

/** The second half of a sign-in whose first was answered with 401 `second_factor_required`. */
export function loginSecondFactorRoutes({ users, sessions, baseUrl }: Deps): Route[] {
  const path = '/api/auth/login/second-factor'
  return [
    route({
      method: 'POST',
      path,
      summary: 'Finish a sign-in with a code or a passkey',
      tag: 'People',
      caller: { session: true, anyone: true },
      body: SecondFactorBody,
      answers: { 200: SelfUser },
      errors: ['invalid_credentials'],
      sameSite: true,
      handle: async ({ caller, body, request }) => {
        const half = { ticket: body.ticket, browser: browserOf(request, baseUrl).id, proof: proofOf(body) }
        const from = { ...seenOf(request), ...presentSession(request, caller, baseUrl) }
        const signedIn = await users.finishSignIn(half, from)
        const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
        return { ...ok(selfView(signedIn.user, { email: true })), headers: { 'set-cookie': cookies } }
      },
    }),
    route({
      method: 'POST',
      path: `${path}/options`,
      summary: 'What the browser asks a passkey with, to finish a sign-in',
      tag: 'People',
      caller: { anyone: true },
      body: SecondFactorTicket,
      answers: { 200: PasskeyRequestOptions },
      sameSite: true,
      handle: async ({ body, request }) =>
        ok(await users.passkeyOptions(body.ticket, browserOf(request, baseUrl).id)),
    }),
  ]
}

function proofOf({ code, passkey }: SecondFactorBody): Proof {
  if (code !== undefined && passkey === undefined) return { code }
  if (passkey !== undefined && code === undefined) return { passkey }
  throw invalid('code', 'required', 'is required, or else a passkey')
}
