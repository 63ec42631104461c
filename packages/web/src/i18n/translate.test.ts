import assert from 'node:assert/strict'
import test from 'node:test'
import { en } from './en.ts'
import { ru } from './ru.ts'
import { chooseLanguage, createTranslate } from './translate.ts'

test('places are filled and unknown places stay visible', () => {
  const t = createTranslate(en, 'en')
  assert.equal(t('chat.placeholder', { name: 'general' }), 'Message #general')
  assert.equal(t('chat.placeholder'), 'Message #{name}')
})

test('the plural form follows the language', () => {
  const english = createTranslate(en, 'en')
  const russian = createTranslate(ru, 'ru')
  assert.equal(english('chat.newMessages', { count: 1 }), '1 new message')
  assert.equal(english('chat.newMessages', { count: 5 }), '5 new messages')
  assert.equal(russian('chat.newMessages', { count: 1 }), '1 новое сообщение')
  assert.equal(russian('chat.newMessages', { count: 3 }), '3 новых сообщения')
  assert.equal(russian('chat.newMessages', { count: 25 }), '25 новых сообщений')
})

test('both languages have the same places in every phrase', () => {
  const places = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join()
  for (const [key, phrase] of Object.entries(en)) {
    const other = Object.entries(ru).find(([name]) => name === key)?.[1]
    assert.ok(other !== undefined, key)
    if (typeof phrase === 'string' && typeof other === 'string')
      assert.equal(places(other), places(phrase), key)
  }
})

test('the language is the first one that the browser prefers and the client speaks', () => {
  assert.equal(chooseLanguage(['de-DE', 'ru-RU', 'en']), 'ru')
  assert.equal(chooseLanguage(['en-GB', 'ru']), 'en')
  assert.equal(chooseLanguage(['fr']), 'en')
})
