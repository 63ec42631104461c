import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import { defaultInstanceName, type InstanceSettings } from '@gatehouse/protocol/administration'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { fromStaticError } from './fastify-errors.ts'

const dist = fileURLToPath(new URL('../../../web/dist', import.meta.url))
const sdkDist = fileURLToPath(new URL('../../../bot/dist', import.meta.url))
const manifestFile = 'manifest.webmanifest'
/** The npm package `@gatehouse/bot`. */
const sdkFile = 'gatehouse-bot.tgz'
const templates = new URL('./templates/', import.meta.url)

const notBuilt =
  '<!doctype html><title>Gatehouse</title><p>The web client has not been built. Run <code>npm ' +
  'run build</code>.</p>'

/** The paths of the web client's pages. A test compares them with its routes (`app.tsx`). */
const clientPages = [
  '/',
  '/channels/:serverId',
  '/channels/:serverId/:channelId',
  '/channels/:serverId/settings/:section?',
  '/channels/:serverId/:channelId/settings/:section?',
  '/invite/:code',
  '/settings/:section?',
  '/administration/:section?/:userId?',
  '/developers/:applicationId?/:section?',
] as const

/** Path prefixes without pages of the web client. */
const otherPaths =
  /^\/(api|oauth2|docs|images|media-proxy|assets|sdk|metrics|healthz|readyz|\.well-known)(\/|$)/

/** What the web client needs before its first request. */
export type ShownInstance = Pick<InstanceSettings, 'name' | 'serverCreation'>

const defaultInstance: ShownInstance = { name: defaultInstanceName, serverCreation: 'everyone' }

export interface WebClient {
  /** The HTML, which is the same for every path, with what the client shows of the instance. */
  page(): string
  /** Whether the web client has a page at this path. */
  isPage(path: string): boolean
  /** Whether the path could be one of a page: outside the API and without a file extension. */
  couldBePage(path: string): boolean
  /** Whether a file is served at this path. */
  isFile(path: string): boolean
}

interface WebClientOptions {
  sdkFolder?: string
  instance?: (() => ShownInstance) | undefined
}

/** Serves the built web client, the style sheet and icon of the HTML pages, and the npm package of the SDK. */
export async function addWebClient(
  app: FastifyInstance,
  { sdkFolder = sdkDist, instance = () => defaultInstance }: WebClientOptions = {},
): Promise<WebClient> {
  const files = new Set<string>()
  function serve(name: string, bytes: Buffer): void {
    files.add(`/${name}`)
    serveFile(app, name, () => bytes)
  }
  for (const name of ['pages.css', 'favicon.svg']) serve(name, readFileSync(new URL(name, templates)))
  for (const name of filesIn(dist))
    if (typeOf(name) && name !== manifestFile) serve(name, readFileSync(`${dist}/${name}`))
  if (existsSync(`${dist}/${manifestFile}`)) {
    files.add(`/${manifestFile}`)
    const manifest: object = JSON.parse(readFileSync(`${dist}/${manifestFile}`, 'utf8'))
    serveFile(app, manifestFile, () => {
      const { name } = instance()
      return Buffer.from(JSON.stringify({ ...manifest, name, short_name: name }))
    })
  }
  const assets = filesIn(`${dist}/assets`)
  if (assets.length > 0) {
    for (const name of assets) files.add(`/assets/${name}`)
    // File names contain a hash of the content.
    await serveFolder(app, {
      root: `${dist}/assets`,
      prefix: '/assets/',
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
    })
  }
  files.add(`/sdk/${sdkFile}`)
  if (existsSync(`${sdkFolder}/${sdkFile}`)) {
    await serveFolder(app, {
      root: sdkFolder,
      prefix: '/sdk/',
      allowedPath: path => path === `/${sdkFile}`,
      // Short, so that `npm install` finds the new version after an upgrade.
      maxAge: '5m',
      setHeaders: reply => reply.type('application/gzip'),
    })
  } else {
    app.get(`/sdk/${sdkFile}`, async () => {
      throw new AppError('not_found', 'This service was built without the SDK. Run `npm run build`.')
    })
  }
  const patterns = clientPages.map(patternOf)
  const couldBePage = (path: string) => !otherPaths.test(path) && !/\.[^/]*$/.test(path)
  return {
    page() {
      const html = existsSync(`${dist}/index.html`) ? readFileSync(`${dist}/index.html`, 'utf8') : notBuilt
      return withInstance(html, instance())
    },
    isPage: path => couldBePage(path) && patterns.some(pattern => pattern.test(path)),
    couldBePage,
    isFile: path => files.has(path),
  }
}

/** The title, and attributes that the client reads. The name is text of an administrator. */
function withInstance(html: string, { name, serverCreation }: ShownInstance): string {
  const text = name.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
  return html
    .replace('<html ', () => `<html data-name="${text}" data-server-creation="${serverCreation}" `)
    .replace(/<title>[^<]*/, () => `<title>${text}`)
}

async function serveFolder(app: FastifyInstance, options: FastifyStaticOptions): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.setErrorHandler(thrown => {
      throw fromStaticError(thrown)
    })
    scope.register(fastifyStatic, {
      ...options,
      acceptRanges: false,
      decorateReply: false,
      index: false,
    })
    done()
  })
}

/** Matches as React Router does: a trailing slash is allowed. */
function patternOf(path: string): RegExp {
  const pattern = path.replace(/\/:\w+(\??)/g, (_, optional) => `(?:/[^/]+)${optional}`)
  return new RegExp(`^${pattern === '/' ? '' : pattern}/?$`)
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => entry.name)
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
}

/** The type for a file extension; undefined for files that are not served directly, such as index.html. */
function typeOf(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1)]
}

function serveFile(app: FastifyInstance, name: string, read: () => Buffer): void {
  app.get(`/${name}`, async (_request, reply) =>
    reply
      .type(typeOf(name) ?? 'application/octet-stream')
      .header('cache-control', 'public, max-age=3600')
      .send(read()),
  )
}
