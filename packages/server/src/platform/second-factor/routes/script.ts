import { readFile } from 'node:fs/promises'
import { Type } from '@gatehouse/protocol/type'
import { answer, type Route, route } from '../../../http/route.ts'

const ownScript = new URL('../browser/second-factor.js', import.meta.url)

/** The one script of the sign-in pages: it asks the browser for a passkey. Everything else works without. */
export function scriptRoute(): Route {
  let script: Promise<string> | undefined
  return route({
    method: 'GET',
    path: '/second-factor.js',
    summary: 'The script of the sign-in pages that asks for a passkey',
    tag: 'Pages',
    caller: { anyone: true },
    answers: { 200: Type.String({ description: 'JavaScript' }) },
    handle: async () => {
      script ??= readScript()
      return answer(200, await script, {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=3600',
      })
    },
  })
}

/** The library stands before our own lines, in one file: it leaves one name, `SimpleWebAuthnBrowser`. */
async function readScript(): Promise<string> {
  const library = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'))
  const texts = await Promise.all([library, ownScript].map(file => readFile(file, 'utf8')))
  return texts.join('\n')
}
