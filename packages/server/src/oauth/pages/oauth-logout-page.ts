import type { FormTokens, PageRenderer } from '../../http/html-pages.ts'
import type { LogoutResult } from '../oauth-logout.ts'
import { toFormActionSource } from '../redirect-uri.ts'

type ResultOf<Kind extends LogoutResult['kind']> = Extract<LogoutResult, { kind: Kind }>

interface Page {
  status: 200
  headers: Record<string, string>
  body: string
}

const folder = new URL('./', import.meta.url)

/** Asks for confirmation, because a link on any site can lead to the logout endpoint. */
export function confirmPage(
  page: PageRenderer,
  formTokens: FormTokens,
  { client, user, redirectUri, isUnregistered, bindings, parameters }: ResultOf<'confirm'>,
): Page {
  const data = {
    title: page.t('logout.title'),
    action: `/oauth2/logout/confirm?${parameters}`,
    token: formTokens.create(bindings.session, bindings.request),
    application: client?.name,
    isUnregistered,
    user,
  }
  // sign-in/page-headers: browsers apply the form-action of the page to the redirect after the POST.
  const formAction = redirectUri === undefined ? [] : [toFormActionSource(redirectUri)]
  const rendered = page.render(folder, 'oauth-logout', data, {
    formAction,
    returnPath: `/oauth2/logout?${parameters}`,
  })
  return { status: 200, ...rendered }
}

export function signedOutPage(page: PageRenderer, { client, location }: ResultOf<'signed-out'>): Page {
  const data = { title: page.t('logout.done'), application: client?.name, location }
  return { status: 200, ...page.render(folder, 'signed-out', data) }
}
