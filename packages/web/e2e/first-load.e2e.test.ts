import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '@gatehouse/testkit/service'

/** Bytes. A part of the client that only some pages need has its own chunk (`ui/lazy-component.tsx`). */
const maxFirstLoad = 150_000

test('the compressed scripts that the page names are less than 150 KB', async t => {
  const { url } = await startService(t)
  const html = await (await fetch(url)).text()
  const paths = Array.from(html.matchAll(/="(\/assets\/[^"]+\.js)"/g), ([, path = '']) => path)
  assert.ok(paths.length >= 3, html)
  let size = 0
  for (const path of paths) {
    const { headers } = await fetch(url + path, { method: 'HEAD', headers: { 'Accept-Encoding': 'br' } })
    assert.equal(headers.get('content-encoding'), 'br', path)
    size += Number(headers.get('content-length'))
  }
  assert.ok(size > 0 && size < maxFirstLoad, `${size} bytes: ${paths.join(', ')}`)
})
