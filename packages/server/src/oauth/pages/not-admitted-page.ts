import type { PageRenderer } from '../../http/html-pages.ts'
import type { NotAdmittedScreen } from '../authorize.ts'
import { signInPath } from '../end-user.ts'
import { destinationOf } from './consent-page.ts'

/** Says that the user may not sign in to the application, without the name of its server (sign-in/members-only). */
export function notAdmittedPage(
  page: PageRenderer,
  { user, location, parameters }: NotAdmittedScreen,
): { status: 200; headers: Record<string, string>; body: string } {
  const data = {
    title: page.t('notAdmitted.title'),
    user,
    destination: destinationOf(page.t, location),
    location,
    changeAccount: signInPath(parameters, { reauthenticate: true }),
  }
  const rendered = page.render(new URL('./', import.meta.url), 'not-admitted', data, {
    returnPath: `/oauth2/authorize?${parameters}`,
  })
  return { status: 200, ...rendered }
}
