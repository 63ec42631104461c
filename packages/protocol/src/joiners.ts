// U+200C (ZWNJ) and U+200D (ZWJ) are invisible. They stay only where they change how the characters around them look.
// For letters this is the rule of RFC 5892 §A.1 and §A.2, with two additions for ZWJ: it also precedes a virama
// (Bengali, Kannada, Sinhala), and needs no letter after a virama (Malayalam).

/**
 * Letters that join the next one (Joining_Type=Dual_Joining): Arabic, Syriac, N'Ko, Mongolian, Hanifi Rohingya, Adlam.
 */
const dualJoining =
  '\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687' +
  '\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0712-\u0714\u071a-\u071d' +
  '\u071f-\u0727\u0729\u072b\u072d\u072e\u074e-\u0758\u075c-\u076a\u076d-\u0770\u0772\u0775-\u0777' +
  '\u077a-\u077f\u07ca-\u07ea\u0860\u0862-\u0865\u0868\u0886\u0889-\u088d\u08a0-\u08a9\u08af\u08b0' +
  '\u08b3-\u08b8\u08ba-\u08c8\u1820-\u1878\u1887-\u18a8\u18aa\u{10d00}-\u{10d21}\u{10d23}' +
  '\u{1e900}-\u{1e943}'

/** The scripts of these letters. */
const joiningScripts = ['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Hanifi_Rohingya', 'Adlam']
  .map(script => `\\p{Script=${script}}`)
  .join('')

/**
 * Signs that suppress the vowel of a letter, after which it may form a ligature with the next
 * (Canonical_Combining_Class=Virama).
 */
const viramas =
  '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u1714' +
  '\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed' +
  '\u{11046}\u{110b9}\u{11133}\u{11134}\u{111c0}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}' +
  '\u{116b6}'

const useful = [
  `(?<=[${dualJoining}]\\p{M}*)\u200c(?=\\p{M}*(?=\\p{L})[${joiningScripts}])`,
  `(?<=[${viramas}])\u200c(?=\\p{Lo})`,
  `(?<=\\p{Lo}\\p{M}*[${viramas}])\u200d`,
  `(?<=\\p{Lo}\\p{M}*)\u200d(?=[${viramas}])`,
  // Unicode Standard Annex #29, rule GB11.
  '(?<=\\p{Extended_Pictographic}[\ufe0f\\p{Emoji_Modifier}]*)\u200d(?=\\p{Extended_Pictographic})',
].join('|')

const useless = new RegExp(`(?!${useful})[\u200c\u200d]`, 'gu')

/** Removes the joiners that have no effect, and all but one of equal joiners in a row. */
export function removeUselessJoiners(text: string): string {
  return text.replace(/([\u200c\u200d])\1+/g, '$1').replace(useless, '')
}

/** For names that must differ: whether two joiners look different depends on the font. */
export function withoutJoiners(text: string): string {
  return text.replace(/[\u200c\u200d]/g, '')
}
