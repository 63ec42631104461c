import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedLocale, localeOf } from './locale.ts'

test('Accept-Language selects the supported language with the highest weight', () => {
  for (const [field, locale] of [
    ['ru', 'ru'],
    ['ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'ru'],
    ['en-US,en;q=0.9,ru;q=0.8', 'en'],
    ['de-DE,de;q=0.9,ru;q=0.5,en;q=0.3', 'ru'],
    ['en;q=0.2, RU ; Q=0.8', 'ru'],
    ['ru,en', 'ru'],
    ['en,ru', 'en'],
    ['*', 'en'],
    ['en;q=0, *', 'ru'],
    ['fr, *;q=0.1', 'en'],
    ['ru;q=0', undefined],
    ['rus', undefined],
    ['fr', undefined],
    ['', undefined],
    ['ru;q=abc', undefined],
    ['ru;q=2,en;q=0.1', 'en'],
    [';;,,=;q', undefined],
  ] as const) {
    assert.equal(acceptedLocale(field), locale, field)
  }
})

test('the language is the chosen one, else ui_locales, else Accept-Language, else English', () => {
  const http = 'http://localhost:3000'
  const https = 'https://chat.example.org'
  const headers = (cookie?: string) => ({
    'accept-language': 'ru',
    ...(cookie === undefined ? {} : { cookie }),
  })
  const inside = `/login?return_to=${encodeURIComponent('/oauth2/authorize?client_id=1&ui_locales=fr-CA%20en')}`
  assert.equal(localeOf({ url: '/login', headers: {} }, http), 'en')
  assert.equal(localeOf({ url: '/login', headers: headers() }, http), 'ru')
  assert.equal(localeOf({ url: '/login?ui_locales=en', headers: headers() }, http), 'en')
  assert.equal(localeOf({ url: '/login?ui_locales=fr', headers: headers() }, http), 'ru')
  assert.equal(localeOf({ url: inside, headers: headers() }, http), 'en')
  const posted = { return_to: '/oauth2/authorize?ui_locales=en' }
  assert.equal(localeOf({ url: '/login', body: posted, headers: headers() }, http), 'en')
  assert.equal(localeOf({ url: inside, headers: headers('gatehouse_locale=ru') }, http), 'ru')
  assert.equal(localeOf({ url: '/login', headers: headers('gatehouse_locale=en') }, http), 'en')
  assert.equal(localeOf({ url: '/login', headers: headers('gatehouse_locale=fr') }, http), 'ru')
  assert.equal(localeOf({ url: '/login', headers: headers('gatehouse_locale=en') }, https), 'ru')
  assert.equal(localeOf({ url: '/login', headers: headers('__Host-gatehouse_locale=en') }, https), 'en')
})
