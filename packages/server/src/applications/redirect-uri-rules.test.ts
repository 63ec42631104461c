import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachService } from '@gatehouse/testkit/service'
import { register } from '../accounts/users/users-testing.ts'
import { findRedirectUriError, toUri } from './redirect-uri-rules.ts'

for (const uri of [
  'https://app.example/callback',
  'https://app.example/callback?tenant=1',
  'https://app.example:8443/cb',
  'https://xn--exmple-cua.example/cb',
  'https://192.0.2.1/cb',
  'https://[2001:db8::1]/cb',
  'http://localhost:3001/callback',
  'http://app.localhost/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.2:80/cb',
  'http://[::1]:9000/cb',
  'http://10.0.0.1/cb',
  'http://172.16.0.1/cb',
  'http://172.31.255.255:8080/cb',
  'http://192.168.1.10:8123/auth/callback',
  'http://[fd12:3456::1]/cb',
  'http://nas.local/cb',
  'http://wiki.corp.internal:8080/cb',
  'http://router.lan',
  'http://pi.home.arpa/cb',
  'com.example.app:/callback',
  'com.example.my-app://oauth',
  'myapp:/callback',
  'myapp://cb',
  'my-app2://oauth/callback?x=1',
  'web+app://cb',
  'vscode://publisher.extension/auth',
  'ms-app://s-1-15-2-1/',
]) {
  test(`accepts ${uri}`, () => {
    assert.equal(findRedirectUriError(uri), undefined)
  })
}

// (sign-in/redirect-uri-registration)
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
  'https:///app.example/cb',
  'https:////app.example/cb',
  'https://user@app.example/cb',
  'https://@app.example/cb',
  'https://:@app.example/cb',
  'myapp://user@host/cb',
  'https://good.example:x@evil.example/cb',
  'http://app.example/cb',
  'http://localhost.evil.example/cb',
  'http://evillocalhost/cb',
  'http://local/cb',
  'http://evil.notlocal/cb',
  'http://a.local.evil.example/cb',
  'http://10.0.0.1.evil.example/cb',
  'http://172.32.0.1/cb',
  'http://172.15.0.1/cb',
  'http://192.169.0.1/cb',
  'http://11.0.0.1/cb',
  'http://8.8.8.8/cb',
  'http://169.254.169.254/cb',
  'http://0.0.0.0/cb',
  'http://2130706433/cb',
  'http://127.1/cb',
  'http://0x7f.0.0.1/cb',
  'http://010.0.0.1/cb',
  'http://[0:0:0:0:0:0:0:1]/cb',
  'http://[2001:db8::1]/cb',
  'http://[fc::1]/cb',
  'http://[::ffff:10.0.0.1]/cb',
  'http://a_b.local/cb',
  'http:/localhost/cb',
  'http:localhost/cb',
  'javascript:alert(1)',
  'javascript://cb/%0aalert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'data://text/html,x',
  'vbscript:x',
  'vbscript:/x',
  'blob:https://app.example/x',
  'blob:/x',
  'file:///etc/passwd',
  'filesystem:/x',
  'about:/blank',
  'view-source:/x',
  'ftp://app.example/cb',
  'ws://app.example/cb',
  'wss://app.example/cb',
  'httpx://app.example/cb',
  'http+unix://app/cb',
  'htps://app.example/cb',
  'hxxps://app.example/cb',
  'intent://cb',
  'mailto:/a@b.example',
  'ms-settings:/cb',
  'search-ms:/x',
  'c:/cb',
  'myapp:cb',
  'MyApp://cb',
  'my_app://cb',
  'localhost:3000/cb',
  'localhost:/cb',
  'app.example:8443/cb',
  'app.example/cb',
  '1app://cb',
  'https://app.example/c b',
  'https://app.example\\@evil.example/cb',
  'https://app.example/\u0000',
  'https://app.ex\u2028mple/cb',
  'https://x;sandbox;y.example/cb',
  'https://a,b.example/cb',
  "https://a'b.example/cb",
  'https://a_b.example/cb',
  'https://*.example/cb',
  'https://-a.example/cb',
  'urn:example:cb',
]) {
  test(`rejects ${JSON.stringify(uri)}`, () => {
    assert.equal(typeof findRedirectUriError(toUri(uri)), 'string')
  })
}

for (const [uri, reason] of [
  ['', 'absolute'],
  ['/callback', 'absolute'],
  ['https:app.example/cb', 'absolute'],
  ['https://', 'host'],
  ['https://app.example:99999/cb', 'port'],
  ['https://app.example/cb#fragment', 'fragment'],
  ['https://user@app.example/cb', 'credentials'],
  ['http://app.example/cb', 'redirect_https'],
  ['javascript:alert(1)', 'redirect_scheme'],
  ['myapp:callback', 'redirect_scheme'],
  ['https://app.example/c b', 'characters'],
] as const) {
  test(`rejects ${JSON.stringify(uri)} with the reason ${reason}`, () => {
    assert.equal(findRedirectUriError(uri), reason)
  })
}

for (const [text, uri] of [
  ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
  ['https://ПРИМЕР.рф:8443/a?b=c', 'https://xn--e1afmkfd.xn--p1ai:8443/a?b=c'],
  ['https://пример.рф/назад?й=1', 'https://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%B0%D0%B7%D0%B0%D0%B4?%D0%B9=1'],
  ['http://сервер.local/cb', 'http://xn--b1afb6bcb.local/cb'],
  ['https://münchen.example/cb', 'https://xn--mnchen-3ya.example/cb'],
  ['myapp://пример', 'myapp://%D0%BF%D1%80%D0%B8%D0%BC%D0%B5%D1%80'],
  ['https://App.example/CB', 'https://App.example/CB'],
] as const) {
  test(`sign-in/redirect-uri-international: ${text} is ${uri}`, () => {
    assert.equal(toUri(text), uri)
    assert.equal(findRedirectUriError(uri), undefined)
  })
}

for (const text of [
  'https://a／evil.example/cb',
  'https://evil\u200b.example',
  'https://\u{1f600}'.repeat(2000),
  '\ud800',
]) {
  test(`sign-in/redirect-uri-international: ${JSON.stringify(text.slice(0, 40))} does not become another URL`, () => {
    const uri = toUri(text)
    assert.ok(findRedirectUriError(uri) !== undefined || uri === 'https://evil.example', uri)
  })
}

eachService(
  'sign-in/redirect-uri-registration, sign-in/redirect-uri-international: the stored URI is ' +
    'in ASCII, and errors say what is accepted',
  async (_t, service) => {
    const ada = service.client()
    await register(ada, 'ada')
    const send = (redirectUris: string[]) =>
      ada.json('POST', '/api/applications', { name: 'An application', type: 'confidential', redirectUris })
    const created = await send(['https://пример.рф', 'myapp://cb', 'http://nas.local:8080/cb'])
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.body.redirectUris, [
      'https://xn--e1afmkfd.xn--p1ai',
      'myapp://cb',
      'http://nas.local:8080/cb',
    ])
    const same = await send(['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'])
    assert.equal(same.body.errors[0].code, 'duplicate')
    const long = await send([`https://пример.рф/${'й'.repeat(1000)}`])
    assert.equal(long.body.errors[0].code, 'too_long')
    for (const [uri, message] of [
      ['http://app.example/cb', /localhost.*private IP.*\.local, \.internal, \.lan or \.home\.arpa/],
      ['javascript://cb', /https:\/\/.*com\.example\.app:\/ or myapp:\/\//],
      ['file:///cb', /myapp:\/\//],
    ] as const) {
      const reply = await send([uri])
      assert.equal(reply.status, 400)
      assert.match(reply.body.errors[0].message, message)
    }
  },
)
