import fc, { type Arbitrary } from 'fast-check'

const pieces = [
  ...'*_~|`[]()<>#-+>\\&!:=h@ \t\n1a',
  ...[
    '- ',
    '1. ',
    '1) ',
    '> ',
    '# ',
    '### ',
    '-# ',
    '**',
    '***',
    '__',
    '~~',
    '||',
    '```',
    '```\n',
    '~~~\n',
    '](',
    '[a](',
    '](b)',
  ],
  ...[
    'https://',
    'https://a.example/',
    '<@',
    '<@1234567890123456789>',
    '<t:1:F>',
    '<a:b:',
    '@everyone',
    '&lt;',
    '&#',
    '\\',
    '  ',
    '\r\n',
  ],
  ...[
    '- > ',
    'a\n',
    '> a\n',
    '- a\n',
    '*a',
    'a*',
    '[a](<b',
    '[a](b "c',
    "[a](b 'c",
    '[a][',
    '<a:',
    '\u200b',
    '\u202e',
    '（',
    '。',
    '👩‍💻',
  ],
]

/**
 * Texts of up to `maxLength` characters that need much time, or a deep document, in Markdown parsers. The same in each
 * run.
 */
export function hostileTexts(count: number, maxLength: number): string[] {
  return fc.sample(hostileText(maxLength), { numRuns: count, seed: 34 })
}

function hostileText(maxLength: number): Arbitrary<string> {
  const unit = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
    .map(parts => parts.join(''))
  const repeat = (text: string, length: number) =>
    text.repeat(Math.ceil(length / text.length)).slice(0, length)
  const repeated = fc.tuple(unit, unit).map(([start, part]) => start + repeat(part, maxLength - start.length))
  const enclosed = fc
    .tuple(unit, unit)
    .map(([open, close]) => `${repeat(open, maxLength / 2 - 1)}x${repeat(close, maxLength / 2)}`)
  const indented = fc.tuple(unit, fc.constantFrom(' ', '  ', '\t')).map(([part, indent]) => {
    let text = ''
    for (let level = 0; text.length < maxLength; level++) text += `${indent.repeat(level)}${part}\n`
    return text.slice(0, maxLength)
  })
  const mixed = fc
    .array(fc.constantFrom(...pieces), { minLength: maxLength / 4, maxLength: maxLength / 2 })
    .map(parts => parts.join('').slice(0, maxLength))
  return fc.oneof(repeated, enclosed, indented, mixed).map(text => text.toWellFormed())
}
