import { type FormTokens, type Pages, pageHeaders } from '../../http/pages.ts'
import type { LogoutOutcome } from '../logout/index.ts'
import { formActionOf } from '../redirect-uri.ts'

type Of<Kind extends LogoutOutcome['kind']> = Extract<LogoutOutcome, { kind: Kind }>

interface Page {
  status: 200
  headers: Record<string, string>
  body: string
}

const folder = new URL('./', import.meta.url)

/** Asks before it signs out: a link from just anywhere must not. */
export function confirmPage(
  { pages, formTokens }: { pages: Pages; formTokens: FormTokens },
  { client, person, redirectUri, bindings, parameters }: Of<'confirm'>,
): Page {
  const body = pages.render(folder, 'logout', {
    title: 'Sign out',
    action: `/oauth2/logout/confirm?${parameters}`,
    token: formTokens.make(bindings.session, bindings.request),
    application: client?.name,
    person,
  })
  // D24: browsers hold the redirect after the post against the page's policy.
  const headers = pageHeaders(redirectUri === undefined ? [] : [formActionOf(redirectUri)])
  return { status: 200, headers, body }
}

export function signedOutPage(pages: Pages, { client, location }: Of<'signed-out'>): Page {
  const body = pages.render(folder, 'signed-out', {
    title: 'You are signed out',
    application: client?.name,
    location,
  })
  return { status: 200, headers: pageHeaders(), body }
}
