import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type NumberedChecks, numberedChecks } from './numbers/numbered-checks.ts'

const mention = /\bchecks? (\d+(?:(?:,? and |, | to |–)\d+)*)/gi

/** The numbers that a text bears: `check 46: …`, `(checks 27 and 29)`, `checks 3 to 8, 11`; sorted, each once. */
export function numbersIn(text: string): number[] {
  const numbers = new Set<number>()
  for (const [, list = ''] of text.matchAll(mention)) {
    for (const part of list.split(/,? and |, /)) {
      const [first = 0, last = first] = part.split(/ to |–/).map(Number)
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
export function unborne(list: NumberedChecks, texts: readonly string[]): number[] {
  const borne = new Set(texts.flatMap(numbersIn))
  const numbers = Array.from({ length: list.last }, (_, index) => index + 1)
  return numbers.filter(number => !borne.has(number) && list.exempt?.[number] === undefined)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  let missing = 0
  for (const list of numberedChecks) {
    const files = globSync([...list.files], { cwd: root, exclude: ['**/node_modules'] })
    const texts = files.flatMap(file => textsOf(readFileSync(join(root, file), 'utf8')))
    const numbers = unborne(list, texts)
    for (const number of numbers) console.log(`${list.name}: no test bears check ${number}`)
    console.log(`${list.name}: ${list.last} checks, ${files.length} files, ${numbers.length} without a test`)
    missing += numbers.length
  }
  process.exitCode = missing > 0 ? 1 : 0
}
