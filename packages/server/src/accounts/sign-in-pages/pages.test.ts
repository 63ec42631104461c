import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCodes } from '@gatehouse/protocol/errors'
import { type Locale, locales } from '@gatehouse/protocol/locales'
import { eachService, startService, type TestResponse } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { createPages, pageErrorFormat } from '../../http/html-pages.ts'
import { renderEveryPage } from '../../i18n/i18n-testing.ts'

const namesInRussian = [
  'Gatehouse',
  'JavaScript',
  'OpenAPI',
  'API',
  'URL',
  'URI',
  'Content-Type',
  'IP',
  'client_id',
  'id_token_hint',
  // The names of users and applications in this test.
  ...[
    'ada',
    'eve',
    'dice',
    'app.example',
    'com.example.app',
    'https',
    'xn',
    'grace',
    'example.org',
    'nonsense',
    'mover',
  ],
]
/** The page without elements that have no text to translate: code, and elements in another language. */
function withoutForeignElements(page: string): string {
  const kept: string[] = []
  /** The names of the open elements inside an element that is left out, with it. */
  let left: string[] = []
  for (const part of page.match(/<[^>]*>|[^<]+/g) ?? []) {
    const [, closing, name = ''] = /^<(\/?)([a-z][a-z0-9]*)/.exec(part) ?? []
    const isOpening = name !== '' && closing === '' && !voidElements.has(name)
    if (left.length > 0 || (isOpening && (name === 'code' || name === 'script' || / lang="/.test(part)))) {
      if (isOpening) left.push(name)
      else if (closing === '/') left = left.slice(0, -1)
    } else kept.push(part)
  }
  return kept.join('')
}

const voidElements = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])

/** The text nodes, and the attributes that contain text. */
function listTexts(page: string): string[] {
  const html = withoutForeignElements(page.slice(page.indexOf('<title')))
  const attributes = html.matchAll(
    /\b(?:alt|aria-label|title|placeholder|data-cancelled|data-failed|data-copy|data-copied)="([^"]*)"/g,
  )
  return [...Array.from(attributes, match => match[1] ?? ''), ...html.split(/<[^>]*>/)]
    .map(part => part.replace(/&\w+;|&#\d+;/g, ' ').trim())
    .filter(part => part !== '')
}

function isForeign(text: string, locale: Locale): boolean {
  if (locale === 'en') return /\p{Script=Cyrillic}/u.test(text)
  const rest = namesInRussian.reduce((left, name) => left.replaceAll(name, ''), text)
  return /[a-z]{2}/i.test(rest)
}

for (const locale of locales) {
  test(`every page is in one language and declares it: ${locale}`, async t => {
    const service = await startService(t)
    const pages = await renderEveryPage(service, locale)
    assert.ok(pages.size > 60, String(pages.size))
    for (const [name, page] of pages) {
      const foreign = listTexts(page.text).filter(text => isForeign(text, locale))
      assert.deepEqual(foreign, [], name)
      assert.match(page.text, new RegExp(`<html lang="${locale}">`), name)
      assert.equal(page.headers.get('content-language'), locale, name)
      assert.match(page.headers.get('vary') ?? '', /^(Accept-Encoding, )?Accept-Language, Cookie$/, name)
      // At least a title, a heading and a sentence. A page without text would pass all other assertions.
      assert.ok(listTexts(page.text).length >= 4, `${name}: ${page.text}`)
    }
  })

  test(`the registration page with REGISTRATION=closed and REGISTRATION=invite: ${locale}`, async t => {
    for (const [registration, status] of [
      ['closed', 403],
      ['invite', 200],
    ] as const) {
      const client = (await startService(t, { env: { REGISTRATION: registration } })).client()
      const page = await client.get('/register', { 'accept-language': locale })
      assert.equal(page.status, status)
      assert.deepEqual(
        listTexts(page.text).filter(text => isForeign(text, locale)),
        [],
      )
    }
  })
}

test('every error code has a page in every language', () => {
  const errorFormat = pageErrorFormat(createPages(() => ({ name: 'Gatehouse', logo: null })))
  for (const locale of locales) {
    for (const code of errorCodes) {
      const error = new AppError(code, 'for programs')
      const request = { method: 'POST', url: '/', locale, theme: 'system' } as const
      const page = String(errorFormat(error, '123-4', request).body)
      assert.deepEqual(
        listTexts(page).filter(text => isForeign(text, locale)),
        [],
        code,
      )
      assert.equal(page.includes('123-4'), error.status >= 500, code)
    }
  }
})

eachService(
  'returns the error page for an invalid path in the language of the request',
  async (_t, service) => {
    const reply = await service.client().get('/login%ZZ', { 'accept-language': 'ru' })
    assert.equal(reply.status, 400)
    assert.match(reply.text, /<html lang="ru">/)
    assert.doesNotMatch(reply.text, /%ZZ/)
  },
)

eachService(
  'selects the language by Accept-Language, then ui_locales, then the chosen language (sign-in/page-language)',
  async (_t, service) => {
    const client = service.client()
    const ru = { 'accept-language': 'de, ru-RU;q=0.8, en;q=0.5' }
    const languageOf = (reply: TestResponse) => reply.headers.get('content-language')
    assert.equal(languageOf(await client.get('/login')), 'en')
    assert.equal(languageOf(await client.get('/login', { 'accept-language': 'de' })), 'en')
    assert.equal(languageOf(await client.get('/login', ru)), 'ru')
    const inside = `/login?return_to=${encodeURIComponent('/oauth2/authorize?client_id=1&ui_locales=en')}`
    assert.equal(languageOf(await client.get(inside, ru)), 'en')
    client.cookies.set('gatehouse_locale', 'ru')
    assert.equal(languageOf(await client.get(inside)), 'ru')
  },
)
