import type { FormTokens, Pages } from '../../http/pages.ts'
import type { Sessions } from '../../platform/sessions/index.ts'
import type { OAuth } from '../index.ts'

/** What the endpoints of the sign-in need. */
export interface OAuthRouteDeps {
  oauth: OAuth
  pages: Pages
  formTokens: FormTokens
  sessionCookie: Sessions['sessionCookie']
}
