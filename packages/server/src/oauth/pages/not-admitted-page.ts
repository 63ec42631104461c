import type { PageRenderer } from '../../http/html-pages.ts'
import type { Key } from '../../i18n/en.ts'
import type { NotAdmittedScreen } from '../authorize.ts'
import { signInPath } from '../end-user.ts'
import { destinationOf } from './consent-page.ts'

const textsOf = {
  user: { title: 'notAdmitted.title', reason: 'notAdmitted.reason', help: 'notAdmitted.help' },
  setting: { title: 'closed.title', reason: 'closed.reason', help: 'closed.help' },
} as const satisfies Record<NotAdmittedScreen['reason'], Record<string, Key>>

/**
 * Says that the user, or nobody, may sign in to the application, without the name of its server (sign-in/members-only).
 */
export function notAdmittedPage(
  page: PageRenderer,
  { reason, user, location, parameters }: NotAdmittedScreen,
): { status: 200; headers: Record<string, string>; body: string } {
  const texts = textsOf[reason]
  const data = {
    title: page.t(texts.title),
    reason: texts.reason,
    help: texts.help,
    user,
    destination: destinationOf(page.t, location),
    location,
    // Another account would not be admitted either.
    changeAccount: reason === 'user' ? signInPath(parameters, { reauthenticate: true }) : undefined,
  }
  const rendered = page.render(new URL('./', import.meta.url), 'not-admitted', data, {
    returnPath: `/oauth2/authorize?${parameters}`,
  })
  return { status: 200, ...rendered }
}
