import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectUriFault } from './redirect-uri.ts'

for (const uri of [
  'https://app.example/callback',
  'https://app.example/callback?tenant=1',
  'https://app.example:8443/cb',
  'http://localhost:3001/callback',
  'http://127.0.0.1/cb',
  'http://[::1]:9000/cb',
  'com.example.app:/callback',
  'com.example.my-app://oauth',
]) {
  test(`may be registered: ${uri}`, () => {
    assert.equal(redirectUriFault(uri), undefined)
  })
}

// Checks 8, 10, 11 and 14.
for (const uri of [
  '',
  '/callback',
  'callback',
  '//app.example/cb',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https://',
  'https://app.example/cb#fragment',
  'https://app.example/cb#',
  'https://user@app.example/cb',
  'https://good.example:x@evil.example/cb',
  'http://app.example/cb',
  'http://127.0.0.2/cb',
  'http://localhost.evil.example/cb',
  'http://0.0.0.0/cb',
  'http://2130706433/cb',
  'http://127.1/cb',
  'http://0x7f.0.0.1/cb',
  'http://[0:0:0:0:0:0:0:1]/cb',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example/x',
  'file:///etc/passwd',
  'ftp://app.example/cb',
  'myapp:/callback',
  'myapp://callback',
  'https://app.example/c b',
  'https://app.example\\@evil.example/cb',
  'https://app.example/\u0000',
  'https://app.exämple/cb',
  'urn:example:cb',
]) {
  test(`is refused: ${JSON.stringify(uri)}`, () => {
    assert.equal(typeof redirectUriFault(uri), 'string')
  })
}
