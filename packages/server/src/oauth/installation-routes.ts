import { openObject, optional, string } from '@gatehouse/protocol/wire'
import { type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Html } from '../http/media.ts'
import { type Route, respond, route } from '../http/route.ts'
import type { Installation } from './installation.ts'

const DoneQuery = openObject(
  {
    client_id: optional(string()),
    server_id: optional(string()),
    cancelled: optional(string()),
    ui_locales: optional(string()),
  },
  'The installation to confirm.',
)

/** The last page of an installation without a redirect URI (sign-in/bot-installation). */
export function installationRoutes(installation: Installation, pages: Pages): Route[] {
  return [
    route('installationPage', {
      summary: 'The page that confirms that a bot was added.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      query: DoneQuery,
      responses: { 200: Html },
      errorFormat: pageErrorFormat(pages),
      handle: async ({ caller, query, request }) => {
        const names =
          query.cancelled === undefined
            ? await installation.findNames(caller?.userId, query.client_id ?? '', query.server_id ?? '')
            : undefined
        const page = pages.for(request)
        const { t } = page
        const data = names
          ? { title: t('done.title'), message: t('done.added', names) }
          : { title: t('done.nothingTitle'), message: t('done.nothing') }
        const { headers, body } = page.render(new URL('./pages/', import.meta.url), 'done', data)
        return respond(200, body, headers)
      },
    }),
  ]
}
