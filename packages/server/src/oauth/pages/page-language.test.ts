import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { otherLanguage, submit } from '../../accounts/users/users-testing.ts'
import { authorizePath, locationOf, makeApplication, signUp } from '../oauth-testing.ts'

eachService('ui_locales selects the language of the sign-in and consent pages', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const path = authorizePath(app, { ui_locales: 'fr ru-RU' })
  const client = service.client()
  const to = locationOf(await client.get(path))
  const login = await client.get(to.pathname + to.search)
  assert.match(login.text, /<html lang="ru">/)
  const href = /href="(\/register[^"]*)"/.exec(login.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.match((await client.get(href)).text, /<html lang="ru">/)
  const wrong = await submit(client, to.pathname + to.search, { login: 'ada', password: 'wrong' })
  assert.match(wrong.text, /Неверное имя пользователя, адрес электронной почты или пароль\./)
  const consent = await ada.client.get(path)
  assert.match(consent.text, /<html lang="ru">/)
  // The language that the user chose has priority over ui_locales.
  const chosen = await ada.client.get(otherLanguage(consent))
  assert.match((await ada.client.get(chosen.headers.get('location') ?? '')).text, /<html lang="en">/)
  assert.deepEqual((await client.get('/.well-known/openid-configuration')).body.ui_locales_supported, [
    'en',
    'ru',
  ])
})
