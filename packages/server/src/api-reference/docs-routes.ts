import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { PageId } from '@gatehouse/protocol/endpoints'
import { Eta } from 'eta'
import type { FastifyRequest } from 'fastify'
import { createTarGzip } from 'nanotar'
import { notFound } from '../errors/app-error.ts'
import { Form } from '../http/form.ts'
import { type PageRenderer, type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Media } from '../http/media.ts'
import { type Route, routeGroup, seeOther } from '../http/route.ts'
import { contentSecurityPolicy } from '../http/security-headers.ts'
import { createStaticResponse, type StaticResponse } from '../http/static-response.ts'
import { type SearchedGuide, searchGuides } from './guide-search.ts'

/** What `packages/api-reference` builds. */
const dist = new URL('../../../api-reference/dist/', import.meta.url)

/** A browser asks again after this time, and gets 304. */
const cacheControl = 'public, max-age=300'

/** A page of `guides.json`. `html` has the host `chat.example.org` for that of the service. */
interface Guide extends SearchedGuide {
  html: string
  headings: readonly { id: string; text: string }[]
}

/** A guide, or the page of the viewer. */
interface ShownPage extends Partial<Guide> {
  path: string
  title: string
  configuration?: string
  /** Of a search. */
  query?: string
}

/** The longest query of the search. The form has the same number. */
const maxQuery = 200

/** A part of a guide that the bar has too. */
const discordGuide = '/docs/guides/bots/discord'

/** The messages of the gateway, from the AsyncAPI document. The guide to the gateway is another page. */
const gateway = { path: '/docs/gateway', title: 'Gateway events' }

/** Without anything from other hosts, and without a form that sends requests with the session of the reader. */
const viewer = JSON.stringify({
  url: '/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hideTestRequestButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
  // For the samples: the header has more than the token.
  authentication: { securitySchemes: { bot: { value: 'Bot BOT_TOKEN' } } },
  agent: { disabled: true },
  mcp: { disabled: true },
})

/** The viewer writes `style` elements. */
const viewerPolicy = contentSecurityPolicy({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'connect-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
})

/** The guides and example bots, which are built ahead, the viewer of the API document, and the gateway's messages. */
export function docsRoutes(deps: { pages: Pages; routes: () => readonly Route[]; baseUrl: string }): Route[] {
  const eta = new Eta({ views: fileURLToPath(new URL('.', import.meta.url)), cache: true, autoEscape: true })
  const prepared = new Map<string, Promise<StaticResponse>>()
  let guidesOnce: Promise<Guide[]> | undefined

  /** `create` prepares the response for the first request. It throws for an unknown path, which is not kept. */
  async function answer(
    request: FastifyRequest,
    key: string,
    create: () => Promise<StaticResponse>,
  ): ReturnType<StaticResponse['respondTo']> {
    const response = prepared.get(key) ?? create()
    prepared.set(key, response)
    response.catch(() => prepared.delete(key))
    return (await response).respondTo(request)
  }

  /** A file of `dist` with the URL of this service. */
  async function readWithUrl(name: string): Promise<string> {
    const text = await readFile(new URL(name, dist), 'utf8')
    return text
      .replaceAll('https://chat.example.org', deps.baseUrl)
      .replaceAll('wss://chat.example.org', deps.baseUrl.replace(/^http/, 'ws'))
      .replaceAll('chat.example.org', new URL(deps.baseUrl).host)
  }

  function readGuides(): Promise<Guide[]> {
    guidesOnce ??= readWithUrl('guides.json').then(text => JSON.parse(text))
    return guidesOnce
  }

  async function readMessages() {
    const [{ asyncApiDocument }, { listGatewayMessages }] = await Promise.all([
      import('../http/openapi/asyncapi.ts'),
      import('./gateway-messages.ts'),
    ])
    return listGatewayMessages(asyncApiDocument(deps.baseUrl))
  }

  async function renderGateway(): Promise<Omit<Guide, 'sections'>> {
    const { groups, ...shown } = await readMessages()
    const titles = groups.map(({ summary }) => summary.replace(/\.$/, ''))
    const headings = titles.map(text => ({ id: kebab(text), text }))
    const html = eta.render('./gateway', {
      ...shown,
      groups,
      headings,
      closeCodes: 'Close codes',
      guide: 'How to connect',
    })
    return { ...gateway, html, headings }
  }

  async function render(page: PageRenderer, path: string): Promise<StaticResponse> {
    const guides = await readGuides()
    const guide = path === gateway.path ? await renderGateway() : guides.find(one => one.path === path)
    const reference = { path: '/docs/api', title: page.t('docs.title'), configuration: viewer }
    const shown: ShownPage | undefined = guide ?? (path === reference.path ? reference : undefined)
    if (!shown) throw notFound()
    const { text, headers } = frame(page, guides, shown, path)
    const { 'content-type': type = '', ...further } = headers
    const policy = shown === reference ? { 'content-security-policy': viewerPolicy } : {}
    return createStaticResponse(text, type, {
      headers: { ...further, ...policy, 'cache-control': cacheControl },
      quality: 5,
    })
  }

  async function renderSearch(page: PageRenderer, query: string) {
    const guides = await readGuides()
    const title = page.t('docs.search')
    const { t, locale } = page
    const html = eta.render('./search', { title, query, hits: searchGuides(guides, query), t, locale })
    const path = `/docs/search?${new URLSearchParams({ q: query })}`
    return frame(page, guides, { path, title, html, headings: [], query }, path)
  }

  /** A page with the bar and, for a part of a guide, its other parts. */
  function frame(page: PageRenderer, guides: readonly Guide[], shown: ShownPage, path: string) {
    const { headers, ...framed } = page.frame({ returnPath: path })
    const inBar = guides.filter(one => rootOf(one.path) === one.path || one.path === discordGuide)
    const contents = [...inBar, { path: '/docs/api', title: page.t('docs.title') }, gateway]
    const root = rootOf(path)
    const parts = guides.filter(one => one.path !== root && rootOf(one.path) === root)
    const section = {
      root,
      parts: parts.length === 0 ? [] : [guides.find(one => one.path === root), ...parts],
    }
    const text = eta.render('./docs', {
      ...framed,
      ...shown,
      t: page.t,
      locale: page.locale,
      contents,
      section,
    })
    return { text, headers }
  }

  const route = routeGroup({
    tag: 'Pages',
    caller: { anonymous: true },
    errors: ['not_found'],
    errorFormat: pageErrorFormat(deps.pages),
  })

  function page(id: PageId, summary: string): Route {
    return route(id, {
      summary,
      responses: { 200: Media<Uint8Array>('text/html'), 304: null },
      handle: async ({ request }) => {
        const [shown = ''] = request.url.split('?', 1)
        const renderer = deps.pages.for(request)
        return answer(request, `${renderer.locale} ${shown}`, () => render(renderer, shown))
      },
    })
  }

  function file(id: PageId, summary: string, name: string, type: string): Route {
    const read = async () =>
      createStaticResponse(await readWithUrl(name), type, {
        headers: { 'cache-control': cacheControl },
        quality: 5,
      })
    return route(id, {
      summary,
      responses: { 200: Media<Uint8Array>(type), 304: null },
      handle: async ({ request }) => answer(request, name, read),
    })
  }

  /** `find` gets the segments of the path after `/docs/api` and the like. It returns the URL of what they name. */
  function redirect(id: PageId, summary: string, find: (names: readonly string[]) => unknown): Route {
    return route(id, {
      summary,
      responses: { 303: null },
      handle: async ({ request }) => {
        const [path = ''] = request.url.split('?', 1)
        const target = await find(path.split('/').slice(3))
        if (typeof target !== 'string') throw notFound()
        return seeOther(encodeURI(target))
      },
    })
  }

  function findOperation([group, operation]: readonly string[]): string | undefined {
    const found = deps
      .routes()
      .find(({ operationId, tag }) => operationId && kebab(operationId) === operation && kebab(tag) === group)
    return found && `/docs/api#tag/${group}/${found.method}${found.path.replace(/:(\w+)/g, '{$1}')}`
  }

  function findGroup([group]: readonly string[]): string | undefined {
    const exists = deps.routes().some(({ operationId, tag }) => operationId && kebab(tag) === group)
    return exists ? `/docs/api#tag/${group}` : undefined
  }

  async function findMessage([name = '']: readonly string[]): Promise<string | undefined> {
    return (await readMessages()).names.has(name) ? `/docs/gateway#${name}` : undefined
  }

  return [
    route('docsExample', {
      summary: 'An example bot as an archive, `dice-bot.tgz`, that runs with this service.',
      responses: { 200: Media<Uint8Array>('application/gzip') },
      async handle({ request }) {
        const [, name = ''] = /^\/docs\/examples\/([\w-]+)\.tgz(?:\?|$)/.exec(request.url) ?? []
        const bots: Record<string, Record<string, string>> = JSON.parse(await readWithUrl('examples.json'))
        if (!Object.hasOwn(bots, name)) throw notFound()
        const headers = { 'content-type': 'application/gzip', 'cache-control': cacheControl }
        const files = Object.entries(bots[name] ?? {}).map(([path, data]) => ({ name: path, data }))
        // Without the time, the same files give the same archive.
        return { status: 200 as const, headers, body: await createTarGzip(files, { attrs: { mtime: 0 } }) }
      },
    }),
    route('docsSearch', {
      summary: 'The sections of the guides that contain all words of `q`.',
      query: Form,
      responses: { 200: Media<string>('text/html') },
      handle: async ({ request, query }) => {
        const q = typeof query.q === 'string' ? query.q.slice(0, maxQuery) : ''
        const { text, headers } = await renderSearch(deps.pages.for(request), q)
        return { status: 200 as const, headers, body: text }
      },
    }),
    file('docsScript', 'A script that posts to a webhook.', 'alert.sh', 'text/x-shellscript; charset=utf-8'),
    page('docsPage', 'The introduction of the API reference.'),
    page('docsReference', 'The reference of the operations and objects, shown by a viewer.'),
    page('docsGateway', 'The frames and events of the gateway.'),
    page('docsErrors', 'All error codes with their meanings.'),
    page('docsGuide', 'A guide: sign-in, bots, webhooks or the gateway.'),
    page('docsGuidePart', 'A part of a guide, such as the commands of bots.'),
    redirect('docsSlash', 'Redirects to `/docs`.', () => '/docs'),
    redirect('docsGuides', 'Redirects to `/docs`.', () => '/docs'),
    redirect('docsObjects', 'Redirects to the objects in `/docs/api`.', () => '/docs/api#models'),
    redirect('docsGroup', 'Redirects to the group in `/docs/api`.', findGroup),
    redirect('docsOperation', 'Redirects to the operation in `/docs/api`.', findOperation),
    redirect('docsMessage', 'Redirects to the message in `/docs/gateway`.', findMessage),
    redirect('docsObject', 'Redirects to the object in `/docs/api`.', ([name = '']) =>
      /^\w+$/.test(name) ? `/docs/api#model/${name.toLowerCase()}` : undefined,
    ),
    file('docsStyle', 'The style sheet of the API reference.', 'docs.css', 'text/css; charset=utf-8'),
    file('docsViewer', 'The viewer of the API document.', 'viewer.js', 'text/javascript; charset=utf-8'),
  ]
}

/** The guide that a page is a part of: `/docs/guides/bots` of `/docs/guides/bots/commands`. */
function rootOf(path: string): string {
  return path.split('/').slice(0, 4).join('/')
}

/** `create-message` for `createMessage`, `webhook-management` for `Webhook management`. */
function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(' ', '-')
    .toLowerCase()
}
