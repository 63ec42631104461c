import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceEmojiNames } from './emoji.ts'

test('replaces the standard names of Slack, with skin tones (webhooks/slack-emoji)', () => {
  for (const [text, expected] of [
    [':book: :green_book: :spiral_note_pad: :bookmark_tabs:', '📖 📗 🗒️ 📑'],
    [':warning: :heavy_check_mark: :information_source: :snowflake:', '⚠️ ✔️ ℹ️ ❄️'],
    [':exclamation::heavy_exclamation_mark: :+1: :thumbsup: :-1:', '❗❗ 👍 👍 👎'],
    [':flag-de: :us: :man-facepalming: :keycap_star:', '🇩🇪 🇺🇸 🤦‍♂️ *️⃣'],
    [':+1::skin-tone-2: :wave::skin-tone-6: :man-facepalming::skin-tone-4:', '👍🏻 👋🏿 🤦🏽‍♂️'],
    [':book::skin-tone-2: :skin-tone-3:', '📖:skin-tone-2: 🏼'],
    [
      ':parrot-party: :our_own: a:key:b 12:10:30 std::move::x',
      ':parrot-party: :our_own: a:key:b 12:10:30 std::move::x',
    ],
  ] as const) {
    assert.equal(replaceEmojiNames(text), expected)
  }
})
