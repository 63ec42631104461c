import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { addTotp } from '../second-factor/second-factor-testing.ts'
import { mailsTo, otherLanguage, password, register, submit } from '../users/users-testing.ts'

eachService(
  'GET /language returns 303 to the same page with a cookie that scripts can read',
  async (_t, service) => {
    const client = service.client()
    const path = '/login?return_to=%2Foauth2%2Fauthorize%3Fclient_id%3D1%26state%3Da%252Fb&notice=signed-out'
    const page = await client.get(path)
    const reply = await client.get(otherLanguage(page), { 'sec-fetch-site': 'same-origin' })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const [cookie = ''] = reply.headers.getSetCookie()
    assert.match(cookie, /^gatehouse_locale=ru; Path=\/; Max-Age=\d+; SameSite=Lax$/)
    const again = await client.get(reply.headers.get('location') ?? '')
    assert.match(again.text, /<html lang="ru">/)
    assert.match(again.text, /Вы вышли из аккаунта\./)
    assert.match(again.text, /name="return_to" value="\/oauth2\/authorize\?client_id=1&amp;state=a%2Fb"/)
    assert.match((await client.get('/register')).text, /<html lang="ru">/, 'on every page from now on')
    const back = await client.get(otherLanguage(again))
    assert.match((await client.get(back.headers.get('location') ?? '')).text, /<html lang="en">/)
  },
)

eachService(
  'GET /language sets a host-only cookie if the base URL is https',
  async (_t, service) => {
    const reply = await service.client().get('/language?locale=ru')
    assert.match(reply.headers.getSetCookie().join(), /^__Host-gatehouse_locale=ru; Path=\/; .*; Secure$/)
    assert.equal(reply.headers.get('location'), '/')
  },
  { env: { BASE_URL: 'https://chat.example.org' } },
)

eachService(
  'GET /language redirects only to paths of this service and returns 400 for an unknown language',
  async (_t, service) => {
    const client = service.client()
    const to = (page: string) => client.get(`/language?locale=ru&page=${Buffer.from(page).toString('hex')}`)
    for (const page of ['https://evil.example/', '//evil.example', '/\\evil.example', 'x', '/a\r\nb: c']) {
      assert.equal((await to(page)).headers.get('location'), '/', page)
    }
    for (const query of ['', '?locale=', '?locale=de', '?locale=en&locale=ru', '?locale=__proto__']) {
      const rejected = await client.get(`/language${query}`)
      assert.equal(rejected.status, 400, query)
      assert.deepEqual(rejected.headers.getSetCookie(), [])
    }
  },
)

eachService('the language links of a page with form errors repeat no form fields', async (_t, service) => {
  const client = service.client()
  const failed = await submit(client, '/login?return_to=%2Fa', { login: 'ada', password: 'a secret' })
  assert.equal(failed.status, 401)
  const reply = await client.get(otherLanguage(failed))
  assert.equal(reply.headers.get('location'), '/login?return_to=%2Fa')
  const passkey = await client.get('/login')
  const token = /name="form_token" value="([^"]*)"/.exec(passkey.text)?.[1] ?? ''
  const rejected = await client.form('/login/passkey', { form_token: token, passkey: '{}' })
  assert.equal(rejected.status, 400)
  assert.equal((await client.get(otherLanguage(rejected))).headers.get('location'), '/login')
})

eachService('mails are in the language of the request that causes them', async (_t, service) => {
  const ru = { 'accept-language': 'ru' }
  const client = service.client()
  const body = { username: 'ada', email: 'ada@example.org', password }
  await client.json('POST', '/api/auth/register', body, ru)
  await submit(client, '/forgot-password', { email: body.email }, ru)
  await mailsTo(service, body.email, 2)
  client.cookies.set('gatehouse_locale', 'ru')
  const me = (change: object) =>
    client.json('PATCH', '/api/users/@me', { currentPassword: password, ...change })
  assert.equal((await me({ password: `${password}!` })).status, 200)
  await mailsTo(service, body.email, 3)
  await client.json('POST', '/api/auth/email/resend')
  const mails = await mailsTo(service, body.email, 4)
  assert.deepEqual(
    mails.map(mail => mail.subject),
    [
      'Подтвердите адрес электронной почты',
      'Задайте новый пароль',
      'Ваш пароль изменён',
      'Подтвердите адрес электронной почты',
    ],
  )
  for (const { text } of mails) {
    assert.doesNotMatch(text.replaceAll(/https?:\S+|localhost:\d+|\bada\b/g, ''), /[a-z]/i)
  }
  await register(service.client(), 'grace')
  const [english] = await mailsTo(service, 'grace@example.org', 1)
  assert.equal(english?.subject, 'Verify your email address')
})

eachService('mails about the second factor are in the language of the request', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  client.cookies.set('gatehouse_locale', 'ru')
  await addTotp(service, client)
  const mails = await mailsTo(service, 'ada@example.org', 2)
  assert.equal(mails[1]?.subject, 'Добавлено приложение-аутентификатор')
})
