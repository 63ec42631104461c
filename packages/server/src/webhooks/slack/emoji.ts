import shortcodes from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }

/** The emoji of Slack's standard names. Most services need none, so the names are read with the first one. */
let emojiByName: ReadonlyMap<string, string> | undefined

function readNames(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(shortcodes).flatMap(([code, names]) => {
      const emoji = toEmoji(code.split('-').map(hex => Number.parseInt(hex, 16)))
      return [names].flat().map(name => [name, emoji] as const)
    }),
  )
}

/** Without U+FE0F, some characters are shown as text. */
function toEmoji(codePoints: readonly number[]): string {
  const text = String.fromCodePoint(...codePoints)
  return codePoints.length === 1 && !/\p{Emoji_Presentation}/u.test(text) ? `${text}\ufe0f` : text
}

// The colons must not follow or precede a letter or digit: `a:key:b` and `12:10:30` contain no emoji.
const emojiName = /(?<![\p{L}\p{N}]):([a-z0-9_+-]+):(?::(skin-tone-[2-6]):)?(?![\p{L}\p{N}])/gu

/** Replaces the standard names: `:rocket: done` is `🚀 done`. Other names, for example of custom emoji, stay. */
export function replaceEmojiNames(text: string): string {
  if (!text.includes(':')) return text
  return text.replace(emojiName, (match, name: string, tone: string | undefined) => {
    const emoji = findEmoji(name)
    if (emoji === undefined) return match
    return tone === undefined ? emoji : (addSkinTone(emoji, tone) ?? `${emoji}:${tone}:`)
  })
}

/** The emoji of a standard name; undefined for other names. */
export function findEmoji(name: string): string | undefined {
  emojiByName ??= readNames()
  return emojiByName.get(name)
}

/** `tone` is `skin-tone-2` to `skin-tone-6`. Undefined for an emoji without skin. */
export function addSkinTone(emoji: string, tone: string): string | undefined {
  const modifier = findEmoji(tone)
  if (modifier === undefined || !/\p{Emoji_Modifier_Base}/u.test(emoji)) return undefined
  return emoji.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/u, `$1${modifier}`)
}
