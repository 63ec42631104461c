import shortcodes from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }

/** The code points of Slack's standard names: `1F4D6`. */
const codesByName: ReadonlyMap<string, string> = new Map(
  Object.entries<string | readonly string[]>(shortcodes).flatMap(([code, names]) =>
    [names].flat().map(name => [name, code] as const),
  ),
)

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
  const code = codesByName.get(name)
  if (code === undefined) return undefined
  const text = String.fromCodePoint(...code.split('-').map(hex => Number.parseInt(hex, 16)))
  // Without U+FE0F, some characters are shown as text.
  return code.includes('-') || /\p{Emoji_Presentation}/u.test(text) ? text : `${text}\ufe0f`
}

/** `tone` is `skin-tone-2` to `skin-tone-6`. Undefined for an emoji without skin. */
export function addSkinTone(emoji: string, tone: string): string | undefined {
  const modifier = findEmoji(tone)
  if (modifier === undefined || !/\p{Emoji_Modifier_Base}/u.test(emoji)) return undefined
  return emoji.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/u, `$1${modifier}`)
}
