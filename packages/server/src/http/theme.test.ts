import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startService } from '@gatehouse/testkit/service'
import { withTheme } from './theme.ts'

const html = readFileSync(new URL('../../../web/index.html', import.meta.url), 'utf8')

/** The scheme of the page, and the media of its colours for light and dark. */
function schemeOf(text: string): (string | undefined)[] {
  return [
    /name="color-scheme" content="([^"]*)"/.exec(text)?.[1],
    ...Array.from(
      text.matchAll(/name="theme-color" data-scheme="\w+" media="([^"]*)"/g),
      ([, media]) => media,
    ),
  ]
}

test('the HTML of the web client has the chosen theme (sign-in/theme)', () => {
  assert.deepEqual(schemeOf(withTheme(html, 'dark')), ['dark', 'not all', 'all'])
  assert.deepEqual(schemeOf(withTheme(html, 'light')), ['light', 'all', 'not all'])
  assert.equal(withTheme(html, 'system'), html)
})

test('the pages of the server have the theme of the cookie (sign-in/theme)', async t => {
  const service = await startService(t)
  for (const [cookie, scheme] of [
    ['gatehouse_theme=dark', 'dark'],
    ['gatehouse_theme=light', 'light'],
    ['gatehouse_theme=system', 'light dark'],
    ['gatehouse_theme="><script>', 'light dark'],
    ['a=b', 'light dark'],
  ]) {
    for (const path of ['/login', '/verify-email?token=x']) {
      const page = await service.client().get(path, { cookie: cookie ?? '' })
      assert.deepEqual(schemeOf(page.text), [scheme], `${path} ${cookie}`)
      assert.match(page.headers.get('vary') ?? '', /Cookie/)
    }
  }
  assert.match((await service.client().get('/')).headers.get('vary') ?? '', /Cookie/)
})
