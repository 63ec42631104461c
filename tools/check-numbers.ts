import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type NumberedChecks, numberedChecks } from './numbers/numbered-checks.ts'

const mentions: Readonly<Record<NumberedChecks['mark'], RegExp>> = {
  check: /\bchecks? (\d+(?:(?:,? and |, | to |–)\d+)*)/gi,
  D: /\bD(\d+(?:(?: to |–)D?\d+)?)\b/g,
}

/**
 * The numbers that a text bears: `check 46: …`, `(checks 27 and 29)`, `checks 3 to 8, 11`; or as decisions `D31: …`,
 * `(D28, D52)`, `D25 to D32`. Sorted, each once.
 */
export function numbersIn(text: string, mark: NumberedChecks['mark'] = 'check'): number[] {
  const numbers = new Set<number>()
  for (const [, list = ''] of text.matchAll(mentions[mark])) {
    for (const part of list.split(/,? and |, /)) {
      const [first = 0, last = first] = part.split(/ to D?|–D?/).map(Number)
      for (let number = first; number <= last; number++) numbers.add(number)
    }
  }
  return [...numbers].toSorted((a, b) => a - b)
}

/** The texts in the code of a test file, where the names of its tests stand; comments are none. */
export function textsOf(source: string): string[] {
  const texts: string[] = []
  function visit(node: ts.Node): void {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest))
  return texts
}

/** The numbers of a list that no text bears and that are not exempt. */
export function unborne(
  { mark, first = 1, last, exempt }: Omit<NumberedChecks, 'name' | 'files'>,
  texts: readonly string[],
): number[] {
  const borne = new Set(texts.flatMap(text => numbersIn(text, mark)))
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return numbers.filter(number => !borne.has(number) && exempt?.[number] === undefined)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  let missing = 0
  for (const list of numberedChecks) {
    const files = globSync([...list.files], { cwd: root, exclude: ['**/node_modules'] })
    const texts = files.flatMap(file => textsOf(readFileSync(join(root, file), 'utf8')))
    const numbers = unborne(list, texts)
    const { name, mark, first = 1, last } = list
    const named = (number: number) => (mark === 'D' ? `D${number}` : `${mark} ${number}`)
    for (const number of numbers) console.log(`${name}: no test bears ${named(number)}`)
    const count = last - first + 1
    console.log(`${name}: ${count} numbers, ${files.length} files, ${numbers.length} without a test`)
    missing += numbers.length
  }
  process.exitCode = missing > 0 ? 1 : 0
}
