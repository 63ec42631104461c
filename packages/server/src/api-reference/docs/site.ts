import { type Json, readDocuments } from './docs-document.ts'
import { createPages } from './docs-pages.ts'
import { type Guide, readGuides, resolveGuideLink } from './guides.ts'
import { type Html, html } from './html.ts'
import { type Frame, listMessages, type NavigationData, writePage } from './layout.ts'
import { type Heading, renderMarkdown } from './markdown.ts'
import { createSearch, type Search, writeSearch } from './search.ts'

export type { Frame } from './layout.ts'

type Translate = Frame['t']

interface Page {
  /** A text of the reference, which is English, or one in the language of the page. */
  title: string | ((t: Translate) => string)
  write: (t: Translate) => Html
}

export type Site = Awaited<ReturnType<typeof createSite>>

/**
 * The pages below `/docs`, generated from the OpenAPI and AsyncAPI documents and the guides. The service loads this module,
 * and what only it needs, when the first page is requested.
 */
export async function createSite(openApi: Json, asyncApi: Json) {
  const reference = readDocuments(openApi, asyncApi)
  const guides = await readGuides(reference.baseUrl)
  const navigation: NavigationData = { reference, guides }
  const content = createPages(reference)
  const pages = new Map<string, Page>()
  const add = (href: string, title: Page['title'], write: Page['write']) => pages.set(href, { title, write })

  const rendered = new Map<Guide, ReturnType<typeof renderMarkdown>>()
  function renderGuide(guide: Guide): ReturnType<typeof renderMarkdown> {
    const known = rendered.get(guide)
    if (known) return known
    const result = renderMarkdown(guide.text, { linkOf: resolveGuideLink, claimId: uniqueIds() })
    rendered.set(guide, result)
    return result
  }

  for (const guide of guides) {
    const { href, title } = guide
    const isIntroduction = guide === guides[0]
    add(href, isIntroduction ? t => t('docs.title') : title, t => {
      const { html: text, headings } = renderGuide(guide)
      return html`<article class="guide"><div class="text"><h1 lang="en">${title}</h1>${
        isIntroduction && content.writeStart(t)
      }<div lang="en">${text}</div>${isIntroduction && content.writeLists(t)}</div>${writeOutline(headings, t)}</article>`
    })
  }
  for (const group of reference.groups) {
    add(group.href, group.name, () => content.writeGroup(group))
    for (const operation of group.operations)
      add(operation.href, operation.title, t => content.writeOperation(operation, t))
  }
  add('/docs/gateway', 'Gateway', content.writeGateway)
  for (const message of listMessages(reference))
    add(message.href, message.name, t => content.writeMessage(message, t))
  add('/docs/errors', t => t('docs.errors'), content.writeCatalogue)
  add('/docs/objects', t => t('docs.objects'), content.writeObjects)
  for (const [name, schema] of Object.entries(reference.schemas))
    add(`/docs/objects/${name}`, name, t => content.writeObject(name, schema, t))

  let search: Search | undefined
  function createGuideSearch(): Search {
    const sections = guides.flatMap(guide =>
      renderGuide(guide).headings.map(({ id, text, content }) => ({
        href: `${guide.href}#${id}`,
        title: `${guide.title}: ${text}`,
        text: content,
      })),
    )
    return createSearch(reference, sections)
  }

  return {
    /** The page at this path. Undefined if there is none. */
    render(href: string, frame: Frame): string | undefined {
      const page = pages.get(href)
      if (!page) return undefined
      const { t } = frame
      const title = typeof page.title === 'string' ? page.title : page.title(t)
      const data = { href, title, isEnglish: title === page.title, content: page.write(t) }
      return writePage(data, frame, navigation)
    },
    renderSearch(query: string, frame: Frame): string {
      const { t } = frame
      search ??= createGuideSearch()
      const data = {
        href: '/docs/search',
        title: t('docs.search'),
        content: writeSearch(query, search, t),
        query,
      }
      return writePage(data, frame, navigation)
    },
    renderNotFound(frame: Frame): string {
      const { t } = frame
      const text = html`<article><h1>${t('docs.notFound')}</h1><p role="alert">${t('error.not_found')}</p><p><a href="/docs">${t('docs.title')}</a></p></article>`
      return writePage({ href: '', title: t('docs.notFound'), content: text }, frame, navigation)
    },
  }
}

function writeOutline(headings: readonly Heading[], t: Translate): Html {
  return html`<nav class="outline" aria-label="${t('docs.onPage')}"><p class="heading">${t('docs.onPage')}</p><ul lang="en">${headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`
}

/** The anchors of GitHub: the second heading with the same text gets `-1`. */
function uniqueIds(): (id: string) => string {
  const counts = new Map<string, number>()
  return id => {
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
}
