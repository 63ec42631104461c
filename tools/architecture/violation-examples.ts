import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that violate a rule. */
interface Example {
  rule: string
  /** Completes the test name "<rule> finds …". */
  what: string
  /** New files by path. Only compose.ts and cli.ts exist already; the examples replace them. */
  files: Record<string, string>
  /** Other rules that the same files violate. */
  also: string[]
}

/** Files that examples import. Existing files are not overwritten. */
export const commonFiles: Record<string, string> = Object.fromEntries(
  ['oauth', 'applications', 'interactions', 'webhooks', 'gateway', 'platform/users', 'platform/servers'].map(
    folder => [
      `packages/server/src/${folder}/index.ts`,
      `// Contains ${folder}.\n// Does not contain other features.\nexport {}\n`,
    ],
  ),
)

/**
 * The examples of `violation-examples.txt`. The first line of an example has the rule, other rules that it violates, and a
 * description. The indented lines have its files: the module that the file imports, or its text after `|`.
 */
export const examples: readonly Example[] = parseExamples(
  readFileSync(join(import.meta.dirname, 'violation-examples.txt'), 'utf8'),
)

function parseExamples(text: string): Example[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map(entry => {
      const [head = '', ...lines] = entry.split('\n')
      const [, rules = '', what = ''] = /^([^:]+): (.+)$/.exec(head) ?? []
      const [rule = '', ...also] = rules.split(', ')
      return { rule, what, also, files: Object.fromEntries(lines.map(parseFile)) }
    })
}

function parseFile(line: string): [path: string, text: string] {
  const [, place = '', kind, rest = ''] = /^ {2}(\S+) (\||imports) (.+)$/.exec(line) ?? []
  const path = `packages/${place.replace(/^(server|web)\//, '$1/src/')}`
  if (kind === '|') return [path, `${rest.replaceAll('\\n', '\n')}\n`]
  return [path, `import * as example from '${rest}'\n\nexport const seen = example\n`]
}
