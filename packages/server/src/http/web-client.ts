import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const dist = fileURLToPath(new URL('../../../web/dist', import.meta.url))
const templates = new URL('./templates/', import.meta.url)

const notBuilt = `<!doctype html><title>Gatehouse</title><p>The web client has not been built. Run <code>npm run build</code>.</p>`

/** The addresses that belong to the service itself; any other is a view of the web client. */
const ownPaths = /^\/(api|oauth2|docs|images|assets|metrics|healthz|readyz|\.well-known)(\/|$)/

/** Serves the built web client, and the style sheet and mark of the HTML pages. */
export async function addWebClient(app: FastifyInstance): Promise<void> {
  for (const name of ['pages.css', 'favicon.svg'])
    serveFile(app, name, readFileSync(new URL(name, templates)))
  if (!existsSync(dist)) return
  const beside = readdirSync(dist, { withFileTypes: true }).filter(
    entry => entry.isFile() && typeOf(entry.name),
  )
  for (const { name } of beside) serveFile(app, name, readFileSync(`${dist}/${name}`))
  if (existsSync(`${dist}/assets`)) {
    // File names carry a hash of their content.
    await app.register(fastifyStatic, {
      root: `${dist}/assets`,
      prefix: '/assets/',
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
      schemaHide: true,
    })
  }
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
}

/** By the ending; undefined for what is not served as a file of its own, as the page itself. */
function typeOf(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1)]
}

function serveFile(app: FastifyInstance, name: string, bytes: Buffer): void {
  app.get(`/${name}`, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type(typeOf(name) ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=3600')
      .send(bytes),
  )
}

/** The page of the web client for a view's address, undefined for an address of the service itself. */
export function webClientPage(path: string): string | undefined {
  if (ownPaths.test(path)) return undefined
  return existsSync(`${dist}/index.html`) ? readFileSync(`${dist}/index.html`, 'utf8') : notBuilt
}
