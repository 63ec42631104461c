import { Type } from '@gatehouse/protocol/type'
import { pageDialect, pageHeaders } from '../../http/pages.ts'
import { ok, type Route, route } from '../../http/route.ts'
import type { OAuthRouteDeps } from './deps.ts'

const DoneQuery = Type.Object(
  {
    client_id: Type.Optional(Type.String()),
    server_id: Type.Optional(Type.String()),
    cancelled: Type.Optional(Type.String()),
  },
  { description: 'What was done.' },
)

/** `/oauth2/done`: where a bot's installation ends that gave no address to return to (D23). */
export function doneRoute({ oauth, pages }: OAuthRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/oauth2/done',
    summary: 'The page that says that a bot was added.',
    tag: 'Sign-in',
    caller: { session: true, anyone: true },
    query: DoneQuery,
    answers: { 200: Type.String() },
    dialect: pageDialect(pages),
    handle: async ({ caller, query }) => {
      const added =
        query.cancelled === undefined
          ? await oauth.whatWasAdded(caller?.userId, query.client_id ?? '', query.server_id ?? '')
          : undefined
      const words = added
        ? { title: 'Done', message: `${added.application} was added to ${added.server}.` }
        : { title: 'Nothing was added', message: 'No application was added to a server.' }
      return {
        ...ok(pages.render(new URL('../pages/', import.meta.url), 'done', words)),
        headers: pageHeaders(),
      }
    },
  })
}
