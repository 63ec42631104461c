import { readFile } from 'node:fs/promises'
import type { PageId } from '@gatehouse/protocol/endpoints'
import { openObject, optional, string } from '@gatehouse/protocol/wire'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../errors/app-error.ts'
import type { ErrorFormat, PageRequest } from '../http/error-formats.ts'
import { type PageRenderer, type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Html, Media } from '../http/media.ts'
import { type Route, respond, routeGroup, seeOther } from '../http/route.ts'
import { createStaticResponse, type StaticResponse } from '../http/static-response.ts'
import type { Site } from './docs/site.ts'

/** A rendered page takes about 80 KiB, in plain and compressed. */
const maxRendered = 50

/** A browser asks again after this time, and gets 304. */
const cacheControl = 'public, max-age=300'

/**
 * The API reference. Its code, the API documents and the guides are loaded for the first request, because few services are
 * asked for them.
 */
export function docsRoutes(deps: { pages: Pages; routes: () => readonly Route[]; baseUrl: string }): Route[] {
  let loading: Promise<Site> | undefined
  let site: Site | undefined
  const rendered = new Map<string, StaticResponse>()

  async function load(): Promise<Site> {
    const [{ createSite }, { openApiDocument }, { asyncApiDocument }] = await Promise.all([
      import('./docs/site.ts'),
      import('../http/openapi/openapi-document.ts'),
      import('../http/openapi/asyncapi.ts'),
    ])
    const openApi = openApiDocument(deps.routes(), deps.baseUrl, { complete: true })
    site = await createSite(openApi, asyncApiDocument(deps.baseUrl))
    return site
  }

  async function ensureLoaded(): Promise<Site> {
    loading ??= load()
    return loading.catch(error => {
      loading = undefined
      throw error
    })
  }

  const frameOf = (page: PageRenderer, returnPath?: string) => {
    const { headers, ...frame } = page.frame({ script: true, connect: true, returnPath })
    return { headers, frame: { locale: page.locale, t: page.t, ...frame } }
  }

  /** The page for a path that does not exist, in the layout of the reference as soon as that is loaded. */
  const errorFormat: ErrorFormat = (error, requestId, request: PageRequest) => {
    if (error.code !== 'not_found' || !site) return pageErrorFormat(deps.pages)(error, requestId, request)
    const { headers, frame } = frameOf(deps.pages.for(request))
    return { status: 404, contentType: 'text/html; charset=utf-8', headers, body: site.renderNotFound(frame) }
  }

  /** The page for the language of the request. */
  async function prepare(request: FastifyRequest, href: string): Promise<StaticResponse> {
    const renderer = deps.pages.for(request)
    const key = `${renderer.locale} ${href}`
    const prepared = rendered.get(key) ?? (await render(renderer, href))
    // The page that was not requested for the longest time is the first one.
    rendered.delete(key)
    rendered.set(key, prepared)
    const [oldest] = rendered.keys()
    if (rendered.size > maxRendered && oldest !== undefined) rendered.delete(oldest)
    return prepared
  }

  async function render(renderer: PageRenderer, href: string): Promise<StaticResponse> {
    const { headers, frame } = frameOf(renderer, href)
    const text = (await ensureLoaded()).render(href, frame)
    if (text === undefined) throw notFound()
    const { 'content-type': type = '', ...further } = headers
    return createStaticResponse(text, type, {
      headers: { ...further, 'cache-control': cacheControl },
      quality: 5,
    })
  }

  const route = routeGroup({
    tag: 'Pages',
    caller: { anonymous: true },
    errors: ['not_found'],
    errorFormat,
    onUnrouted: async () => void (await ensureLoaded()),
  })

  function page(id: PageId, summary: string): Route {
    return route(id, {
      summary,
      responses: { 200: Media<Uint8Array>('text/html'), 304: null },
      handle: async ({ request }) => {
        const [href = ''] = request.url.split('?', 1)
        return (await prepare(request, href)).respondTo(request)
      },
    })
  }

  /** Addresses that readers try, but that have no page of their own. */
  function redirect(id: PageId, target: string): Route {
    return route(id, {
      summary: `Redirects to \`${target}\`.`,
      responses: { 303: null },
      handle: async () => seeOther(target),
    })
  }

  function file(id: PageId, summary: string, name: string, type: string): Route {
    let prepared: Promise<StaticResponse> | undefined
    const read = async () =>
      createStaticResponse(await readFile(new URL(`./docs/browser/${name}`, import.meta.url), 'utf8'), type, {
        headers: { 'cache-control': cacheControl },
      })
    return route(id, {
      summary,
      responses: { 200: Media<Uint8Array>(type), 304: null },
      handle: async ({ request }) => {
        prepared ??= read()
        return (await prepared).respondTo(request)
      },
    })
  }

  return [
    page('docsPage', 'The introduction of the API reference.'),
    redirect('docsSlash', '/docs'),
    redirect('docsOperations', '/docs#operations'),
    redirect('docsGuides', '/docs'),
    page('docsGroup', 'The operations of a group.'),
    page('docsOperation', 'An operation with its fields, errors, examples and samples.'),
    page('docsGateway', 'The frames, events and close codes of the gateway.'),
    page('docsMessage', 'A frame or event of the gateway.'),
    page('docsObjects', 'The objects of requests, responses and events.'),
    page('docsObject', 'An object with its fields and where it is used.'),
    page('docsErrors', 'All error codes with their meanings.'),
    page('docsGuide', 'A guide: sign-in, bots or webhooks.'),
    route('docsSearch', {
      summary: 'Finds operations, fields, events, errors and sections of the guides.',
      query: openObject({ q: optional(string()) }),
      responses: { 200: Html },
      handle: async ({ request, query }) => {
        const { headers, frame } = frameOf(deps.pages.for(request))
        const body = (await ensureLoaded()).renderSearch(query.q ?? '', frame)
        return respond(200, body, { ...headers, 'cache-control': 'no-cache' })
      },
    }),
    file('docsStyle', 'The style sheet of the API reference.', 'docs.css', 'text/css; charset=utf-8'),
    file('docsScript', 'The script of the API reference.', 'docs.js', 'text/javascript; charset=utf-8'),
  ]
}
