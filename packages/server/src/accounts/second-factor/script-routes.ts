import { readFile } from 'node:fs/promises'
import { Media } from '../../http/media.ts'
import { type Route, respond, route } from '../../http/route.ts'

const scriptFile = new URL('./browser/second-factor.js', import.meta.url)

/** The only script of the sign-in pages. They work without it, except for passkeys. */
export function scriptRoute(): Route {
  let script: Promise<string> | undefined
  return route('secondFactorScript', {
    summary: 'The script of the sign-in pages for passkeys.',
    tag: 'Pages',
    caller: { anonymous: true },
    responses: { 200: Media<string>('text/javascript') },
    handle: async () => {
      script ??= readScript()
      return respond(200, await script, {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=3600',
      })
    },
  })
}

/** The library defines the global `SimpleWebAuthnBrowser`, which the script after it uses. */
async function readScript(): Promise<string> {
  const library = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'))
  const texts = await Promise.all([library, scriptFile].map(file => readFile(file, 'utf8')))
  return texts.join('\n')
}
