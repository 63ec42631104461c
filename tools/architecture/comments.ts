import ts from 'typescript'
import type { SourceFile } from './source-files.ts'

interface Broken {
  line?: number
  message: string
}

/** A feature's `index.ts` opens with two to four lines: what the folder owns and what not. */
export function saysTooLittle({ text, tree }: SourceFile): Broken[] {
  const lines = (ts.getLeadingCommentRanges(text, tree.getFullStart()) ?? [])
    .flatMap(({ pos, end }) => text.slice(pos, end).split('\n'))
    .filter(line => /\w/.test(line))
  return lines.length >= 2 && lines.length <= 4
    ? []
    : [
        {
          line: 1,
          message: `opens with ${lines.length} lines of comment; 2 to 4 say what the folder owns and what not`,
        },
      ]
}

const comment = String.raw`(?:\/\/|\/\*|^\s*\*|\{\s*\/\*).*`
const postponed = new RegExp(String.raw`${comment}\b(?:TODO|FIXME|XXX)\b`)
const suppressed = new RegExp(`${comment}(?:biome-ignore|eslint-disable|@ts-ignore|@ts-nocheck)`)

/** What was put off, and what silences a check. */
export function suppressesOrPostpones({ text }: SourceFile): Broken[] {
  return text.split('\n').flatMap((line, index) => {
    if (postponed.test(line))
      return [{ line: index + 1, message: 'work is done or filed, not noted in the code' }]
    return suppressed.test(line) ? [{ line: index + 1, message: 'a finding is mended, not silenced' }] : []
  })
}
