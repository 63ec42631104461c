import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Attempt, createGatehouse, random, type SignedIn } from './gatehouse.ts'
import { createMemory } from './memory.ts'
import { personPage, refusedPage, welcomePage } from './pages.ts'

export interface SiteOptions {
  gatehouseUrl: string
  /** The base URL of this site: `http://localhost:3001`. */
  siteUrl: string
  clientId: string
  clientSecret: string
  /** The client id of the public client, for the browser-only page. */
  publicClientId: string
  /** Milliseconds since the Unix epoch. Default: `Date.now`. */
  clock?: () => number
}

const files: Readonly<Record<string, { file: string; type: string }>> = {
  '/browser': { file: 'browser.html', type: 'text/html; charset=utf-8' },
  '/browser.js': { file: 'browser.js', type: 'text/javascript; charset=utf-8' },
  '/style.css': { file: 'style.css', type: 'text/css; charset=utf-8' },
  '/lighthouse.svg': { file: 'lighthouse.svg', type: 'image/svg+xml' },
}

const minute = 60_000

// Cookies ignore the port (RFC 6265 §8.5): on localhost, the browser also sends these to Gatehouse and other sites.
const sessionCookie = 'sign_in_site_session'
const attemptCookie = 'sign_in_site_attempt'

/** The site: `/`, `/sign-in`, `/callback` and `/sign-out` use a client secret; `/browser` is a public client. */
export function createSite(options: SiteOptions): Server {
  const clock = options.clock ?? Date.now
  const gatehouse = createGatehouse({
    url: options.gatehouseUrl,
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    redirectUri: `${options.siteUrl}/callback`,
    clock,
  })
  const attempts = createMemory<Attempt>(10 * minute, clock)
  const sessions = createMemory<SignedIn>(24 * 60 * minute, clock)
  const gatehouseOrigin = new URL(options.gatehouseUrl).origin

  // No inline script; images and requests only from this site and from Gatehouse.
  const headers = {
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' ${gatehouseOrigin}; connect-src 'self' ${gatehouseOrigin}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }

  function show(response: ServerResponse, html: string, status = 200) {
    response.writeHead(status, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(html)
  }

  function go(response: ServerResponse, location: string, cookies: string[] = []) {
    response.writeHead(303, { ...headers, location, 'set-cookie': cookies }).end()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', options.siteUrl)
    const cookies = readCookies(request)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /': {
        const session = sessions.get(cookies.get(sessionCookie))
        return show(response, session ? personPage(session.person) : welcomePage())
      }
      case 'GET /sign-in': {
        const { attempt, location } = await gatehouse.begin()
        const key = random()
        attempts.put(key, attempt)
        return go(response, location, [cookie(attemptCookie, key, 600)])
      }
      case 'GET /callback': {
        // The cookie binds the callback to the browser that started the sign-in. Each attempt may be used once.
        const attempt = attempts.take(cookies.get(attemptCookie))
        if (!attempt) return show(response, refusedPage('This sign-in was not begun here, or long ago.'), 400)
        const signedIn = await gatehouse.finish(attempt, url.searchParams).catch((error: Error) => error)
        if (signedIn instanceof Error) return show(response, refusedPage(signedIn.message), 400)
        sessions.take(cookies.get(sessionCookie))
        const key = random()
        sessions.put(key, signedIn)
        return go(response, '/', [cookie(sessionCookie, key, 86_400), cookie(attemptCookie, '', 0)])
      }
      case 'POST /sign-out': {
        const session = sessions.take(cookies.get(sessionCookie))
        if (session) await gatehouse.forget(session).catch(() => {})
        return go(response, '/', [cookie(sessionCookie, '', 0)])
      }
      case 'GET /settings.json': {
        const { gatehouseUrl, publicClientId: clientId, siteUrl } = options
        const settings = { gatehouseUrl, clientId, redirectUri: `${siteUrl}/browser` }
        response.writeHead(200, { ...headers, 'content-type': 'application/json' })
        response.end(JSON.stringify(settings))
        return
      }
    }
    const found = request.method === 'GET' ? files[url.pathname] : undefined
    if (!found) return show(response, refusedPage('There is nothing at this address.'), 404)
    const content = await readFile(new URL(`public/${found.file}`, import.meta.url))
    response.writeHead(200, { ...headers, 'content-type': found.type }).end(content)
  }

  return createServer((request, response) => {
    answer(request, response).catch(error => {
      console.error(error)
      if (response.headersSent) return response.destroy()
      show(response, refusedPage('Gatehouse does not answer. Try again in a moment.'), 502)
    })
  })
}

// Lax: sent when Gatehouse redirects back, not when another site posts to /sign-out.
function cookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
}

function readCookies(request: IncomingMessage): Map<string, string> {
  const pairs = (request.headers.cookie ?? '').split('; ').map(pair => pair.split('=', 2))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}
