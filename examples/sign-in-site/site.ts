import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createExpiringMap } from './expiring-map.ts'
import { type AuthorizationRequest, createGatehouse, random, type Session } from './gatehouse.ts'
import { errorPage, userPage, welcomePage } from './pages.ts'

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

const assets: Readonly<Record<string, { file: string; type: string }>> = {
  '/browser': { file: 'browser.html', type: 'text/html; charset=utf-8' },
  '/browser.js': { file: 'browser.js', type: 'text/javascript; charset=utf-8' },
  '/style.css': { file: 'style.css', type: 'text/css; charset=utf-8' },
  '/lighthouse.svg': { file: 'lighthouse.svg', type: 'image/svg+xml' },
}

const minute = 60_000

// Cookies ignore the port (RFC 6265 §8.5): on localhost, the browser also sends these to Gatehouse and other sites.
const sessionCookie = 'sign_in_site_session'
const requestCookie = 'sign_in_site_request'

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
  const authorizationRequests = createExpiringMap<AuthorizationRequest>(10 * minute, clock)
  const sessions = createExpiringMap<Session>(24 * 60 * minute, clock)
  const gatehouseOrigin = new URL(options.gatehouseUrl).origin

  // No inline script; images and requests only from this site and from Gatehouse.
  const headers = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' " +
      `${gatehouseOrigin}; connect-src 'self' ${gatehouseOrigin}; form-action 'self'; base-uri ` +
      "'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }

  function sendPage(response: ServerResponse, html: string, status = 200) {
    response.writeHead(status, { ...headers, 'content-type': 'text/html; charset=utf-8' }).end(html)
  }

  function redirect(response: ServerResponse, location: string, cookies: string[] = []) {
    response.writeHead(303, { ...headers, location, 'set-cookie': cookies }).end()
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', options.siteUrl)
    const cookies = readCookies(request)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /': {
        const session = sessions.get(cookies.get(sessionCookie))
        return sendPage(response, session ? userPage(session.user) : welcomePage())
      }
      case 'GET /sign-in': {
        const { request, location } = await gatehouse.startSignIn()
        const key = random()
        authorizationRequests.set(key, request)
        return redirect(response, location, [cookie(requestCookie, key, 600)])
      }
      case 'GET /callback': {
        // The cookie binds the callback to the browser that started the sign-in. It is valid once.
        const authorizationRequest = authorizationRequests.take(cookies.get(requestCookie))
        if (!authorizationRequest) {
          return sendPage(
            response,
            errorPage('The sign-in has expired, or was started in another browser.'),
            400,
          )
        }
        const session = await gatehouse
          .finishSignIn(authorizationRequest, url.searchParams)
          .catch((error: Error) => error)
        if (session instanceof Error) return sendPage(response, errorPage(session.message), 400)
        sessions.take(cookies.get(sessionCookie))
        const key = random()
        sessions.set(key, session)
        return redirect(response, '/', [cookie(sessionCookie, key, 86_400), cookie(requestCookie, '', 0)])
      }
      case 'POST /sign-out': {
        const session = sessions.take(cookies.get(sessionCookie))
        if (session) await gatehouse.revoke(session).catch(() => {})
        return redirect(response, '/', [cookie(sessionCookie, '', 0)])
      }
      case 'GET /settings.json': {
        const { gatehouseUrl, publicClientId: clientId, siteUrl } = options
        const settings = { gatehouseUrl, clientId, redirectUri: `${siteUrl}/browser` }
        response.writeHead(200, { ...headers, 'content-type': 'application/json' })
        response.end(JSON.stringify(settings))
        return
      }
    }
    const asset = request.method === 'GET' ? assets[url.pathname] : undefined
    if (!asset) return sendPage(response, errorPage('This page does not exist.'), 404)
    const content = await readFile(new URL(`public/${asset.file}`, import.meta.url))
    response.writeHead(200, { ...headers, 'content-type': asset.type }).end(content)
  }

  return createServer((request, response) => {
    handle(request, response).catch(error => {
      console.error(error)
      if (response.headersSent) return response.destroy()
      sendPage(response, errorPage('Gatehouse is unavailable. Try again later.'), 502)
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
