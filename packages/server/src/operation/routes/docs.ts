import { Type } from '@gatehouse/protocol/type'
import { type Pages, pageHeaders } from '../../http/pages.ts'
import { answer, type Route, route } from '../../http/route.ts'
import { type Entry, tableOf } from './reference.ts'

/** The reference as a page to read. */
export function docsRoute(deps: { pages: Pages; routes: () => readonly Route[] }): Route {
  let html: string | undefined
  return route({
    method: 'GET',
    path: '/docs',
    summary: 'This reference as a page',
    tag: 'Operation',
    caller: { anyone: true },
    answers: { 200: Type.String() },
    handle: async () => {
      html ??= deps.pages.render(new URL('../pages/', import.meta.url), 'docs', {
        title: 'API reference',
        wide: true,
        tags: byTag(tableOf(deps.routes())),
      })
      return answer(200, html, { ...pageHeaders(), 'cache-control': 'public, max-age=300' })
    },
  })
}

function byTag(entries: readonly Entry[]): { tag: string; entries: Entry[] }[] {
  const tags = [...new Set(entries.map(entry => entry.tag))]
  return tags.map(tag => ({ tag, entries: entries.filter(entry => entry.tag === tag) }))
}
