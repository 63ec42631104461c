import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPlainText } from './plain-text.ts'

const plain = (text: string) =>
  toPlainText(text, false, token => ('id' in token ? `(${token.kind} ${token.id})` : `(${token.kind})`))

test('is the text as it is shown (community/announcements)', () => {
  const id = '1234567890123456789'
  for (const [typed, shown] of [
    [`hey <@${id}>, look`, `hey (user ${id}), look`],
    [`see <#${id}> <t:1:F>`, `see (channel ${id}) (timestamp)`],
    ['**bold** and __under__ and ~~gone~~', 'bold and under and gone'],
    ['read [the manual](https://wiki.example/a?b=1)', 'read the manual'],
    ['run `npm start` now', 'run npm start now'],
    ['# Heading', 'Heading'],
    ['\\*stars\\*', '*stars*'],
    ['> a\n> b\n\nc', 'a\nb\nc'],
    ['- a\n- b\n```js\nc\n```', 'a\nb\nc'],
    ['a ||*b*|| c', 'a … c'],
    ['see https://a.example/_x_', 'see https://a.example/_x_'],
    ['<:wave:1234567890123456789> @everyone', ':wave: @everyone'],
  ] as const)
    assert.equal(plain(typed), shown)
})
