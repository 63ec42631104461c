import assert from 'node:assert/strict'
import test from 'node:test'
import { browserName } from './browser-name.ts'

test('returns the browser and the operating system of a user agent', () => {
  const agents = {
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0':
      'Edge · Windows',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox · Linux',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1':
      'Safari · iOS',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36':
      'Chrome · Android',
    'curl/8.0': 'curl/8.0',
  }
  for (const [agent, name] of Object.entries(agents)) assert.equal(browserName(agent), name)
  assert.equal(browserName(null), undefined)
})
