import assert from 'node:assert/strict'
import test from 'node:test'
import type { Locale, Phrase } from '@gatehouse/protocol/locales'
import { type Dictionary, en } from './en.ts'
import { ru } from './ru.ts'
import { type SettingsDictionary, settingsEn } from './settings-en.ts'
import { settingsRu } from './settings-ru.ts'
import { chooseLanguage, createTranslate } from './translate.ts'

test('replaces placeholders, and leaves a placeholder without a value', () => {
  const t = createTranslate(en, 'en')
  assert.equal(t('chat.placeholder', { name: 'general' }), 'Message #general')
  assert.equal(t('chat.placeholder'), 'Message #{name}')
})

test('selects the plural form of the language', () => {
  const english = createTranslate(en, 'en')
  const russian = createTranslate(ru, 'ru')
  assert.equal(english('chat.newMessages', { count: 1 }), '1 new message')
  assert.equal(english('chat.newMessages', { count: 5 }), '5 new messages')
  assert.equal(russian('chat.newMessages', { count: 1 }), '1 новое сообщение')
  assert.equal(russian('chat.newMessages', { count: 3 }), '3 новых сообщения')
  assert.equal(russian('chat.newMessages', { count: 25 }), '25 новых сообщений')
})

const dictionaries: Readonly<Record<Locale, Dictionary & SettingsDictionary>> = {
  en: { ...en, ...settingsEn },
  ru: { ...ru, ...settingsRu },
}

test('every message has the same placeholders in all languages', () => {
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join()
  for (const dictionary of Object.values(dictionaries)) {
    const phrases = new Map<string, Phrase>(Object.entries(dictionary))
    for (const [key, phrase] of Object.entries(dictionaries.en)) {
      const other = phrases.get(key)
      assert.ok(other !== undefined, key)
      if (typeof phrase === 'string' && typeof other === 'string')
        assert.equal(placeholders(other), placeholders(phrase), key)
    }
  }
})

test('chooses the first preferred language that the client supports', () => {
  assert.equal(chooseLanguage(['de-DE', 'ru-RU', 'en']), 'ru')
  assert.equal(chooseLanguage(['en-GB', 'ru']), 'en')
  assert.equal(chooseLanguage(['fr']), 'en')
})
