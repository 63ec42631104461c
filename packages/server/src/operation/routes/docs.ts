import type { Locale } from '@gatehouse/protocol/locales'
import { Type } from '@gatehouse/protocol/type'
import type { PageRenderer, Pages } from '../../http/pages.ts'
import { type Route, respond, route } from '../../http/route.ts'
import { type Entry, listEntries } from './reference.ts'

export function docsRoute(deps: { pages: Pages; routes: () => readonly Route[] }): Route {
  const rendered = new Map<Locale, ReturnType<PageRenderer['render']>>()
  function render(page: PageRenderer) {
    const data = { title: page.t('docs.title'), wide: true, tags: groupByTag(listEntries(deps.routes())) }
    return page.render(new URL('../pages/', import.meta.url), 'docs', data, { returnPath: '/docs' })
  }
  return route({
    method: 'GET',
    path: '/docs',
    summary: 'Returns this reference as a page.',
    tag: 'Operation',
    caller: { anonymous: true },
    responses: { 200: Type.String() },
    handle: async ({ request }) => {
      const page = deps.pages.for(request)
      const reference = rendered.get(page.locale) ?? render(page)
      rendered.set(page.locale, reference)
      return respond(200, reference.body, { ...reference.headers, 'cache-control': 'public, max-age=300' })
    },
  })
}

function groupByTag(entries: readonly Entry[]): { tag: string; entries: Entry[] }[] {
  const tags = [...new Set(entries.map(entry => entry.tag))]
  return tags.map(tag => ({ tag, entries: entries.filter(entry => entry.tag === tag) }))
}
