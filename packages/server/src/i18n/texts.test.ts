import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locale, Phrase } from '@gatehouse/protocol/locales'
import { type Dictionary, en } from './en.ts'
import { LocalizedError } from './localized-error.ts'
import { ru } from './ru.ts'
import { formatDay, translateTo } from './translate.ts'

const source = join(import.meta.dirname, '..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: source }).map(file => ({ file, text: readFileSync(join(source, file), 'utf8') }))

const variants = (phrase: Phrase) => (typeof phrase === 'string' ? [phrase] : Object.values(phrase))
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort().join()

const dictionaries: Readonly<Record<Locale, Dictionary>> = { en, ru }

test('all languages have the same placeholders in every text and all plural categories', () => {
  for (const [language, dictionary] of Object.entries(dictionaries)) {
    const phrases = new Map<string, Phrase>(Object.entries(dictionary))
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const [key, english] of Object.entries(en)) {
      const phrase = phrases.get(key)
      assert.ok(phrase !== undefined, key)
      const expected = placeholders(variants(english)[0] ?? '')
      for (const text of variants(phrase)) assert.equal(placeholders(text), expected, key)
      if (typeof phrase !== 'string')
        assert.deepEqual(Object.keys(phrase).sort(), [...categories].sort(), key)
    }
  }
})

test('templates contain no literal text, and every key in them exists', () => {
  const templates = read('**/*.eta')
  assert.ok(templates.length > 15)
  for (const { file, text } of templates) {
    for (const [, key = ''] of text.matchAll(/\bt\('([^']*)'/g)) assert.ok(key in en, `${file}: ${key}`)
    const html = text.replace(/<%.*?%>/gs, '')
    const literals = html
      .split(/<[^>]*>/)
      .map(part => part.replaceAll('OpenAPI', ''))
      .filter(part => /\p{L}/u.test(part))
    assert.deepEqual(literals, [], file)
    const attributes = Array.from(html.matchAll(/\b(?:alt|aria-label|title|placeholder)="([^"]*)"/g))
    assert.deepEqual(
      attributes.map(match => match[1]).filter(value => value !== ''),
      [],
      file,
    )
  }
})

test('every key is used', () => {
  const used = read('**/*.{ts,eta}').filter(({ file }) => !/^i18n.[a-z]{2}\.ts$/.test(file))
  const all = used.map(({ text }) => text).join('\n')
  // Keys that the code composes.
  const computed = /^(permission\.|limit\.|mail\.|error\.[a-z_]+$)/
  const unused = Object.keys(en).filter(key => !computed.test(key) && !all.includes(`'${key}'`))
  assert.deepEqual(unused, [])
})

test('formats plurals and dates in the language', () => {
  assert.equal(
    translateTo('en')('error.tooManyPasswords', { count: 1 }),
    'Too many wrong passwords. Try again in 1 minute.',
  )
  assert.equal(
    translateTo('ru')('error.tooManyPasswords', { count: 3 }),
    'Слишком много неверных паролей. Попробуйте через 3 минуты.',
  )
  assert.equal(
    translateTo('ru')('error.tooManyPasswords', { count: 5 }),
    'Слишком много неверных паролей. Попробуйте через 5 минут.',
  )
  const day = Date.UTC(2026, 2, 3)
  assert.equal(formatDay('en', day), '3 March 2026')
  assert.equal(formatDay('ru', day), '3 марта 2026 г.')
})

test('the message of a LocalizedError is the English text with the technical details', () => {
  const details = { technical: 'invalid_scope: The scope is missing.' }
  const error = new LocalizedError('validation_failed', 'error.applicationError', details)
  assert.equal(error.status, 400)
  assert.equal(error.message, `${en['error.applicationError']} ${details.technical}`)
})
