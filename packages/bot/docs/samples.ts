// Copies the sample files of this folder into docs/bots.md, the pages in docs/bots/ and the README:
// `node packages/bot/docs/samples.ts`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const guide = join(root, 'docs/bots.md')
/** The pages about bots, with `guide`. */
export const guides = [
  guide,
  ...globSync('docs/bots/*.md', { cwd: root })
    .toSorted()
    .map(file => join(root, file)),
]
export const readme = join(root, 'packages/bot/README.md')

const block = /^([ \t]*)<!-- (\S+) -->\n[ \t]*```(\w+)\n[\s\S]*?^[ \t]*```$/gm

/**
 * Replaces each code block that follows a comment with a file name by the content of that file, or of one of its
 * functions: `dice.ts#createDiceBot`. Also returns the file names.
 */
export function insertSamples(text: string): { text: string; files: string[] } {
  const files: string[] = []
  const replaced = text.replaceAll(block, (_, indent: string, file: string, language: string) => {
    files.push(file)
    const [path = '', name] = file.split('#')
    const text = readFileSync(join(root, path), 'utf8').trimEnd().split('\n')
    const code = name === undefined ? text : findFunction(text, name)
    const lines = [`<!-- ${file} -->`, `\`\`\`${language}`, ...code, '```']
    return lines.map(line => (line === '' ? '' : indent + line)).join('\n')
  })
  return { text: replaced, files }
}

/** A code block, without the indentation of list items. `file`: the comment before it. */
interface CodeBlock {
  file: string | undefined
  language: string
  code: string
}

/** The code blocks of a page, or of the section below a heading. */
export function readCodeBlocks(text: string, heading?: string): CodeBlock[] {
  const [, section = ''] = heading === undefined ? ['', text] : text.split(`\n${heading}\n`)
  // At least `##`: in a shell command, a single `#` starts a comment.
  const [part = ''] = heading === undefined ? [section] : section.split(/^##+ /m)
  const blocks = part.matchAll(/^([ \t]*)(?:<!-- (\S+) -->\n[ \t]*)?```(\w+)\n([\s\S]*?)\n[ \t]*```$/gm)
  return Array.from(blocks, ([, indent = '', file, language = '', code = '']) => ({
    file,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The lines of a function with its comment. */
function findFunction(lines: readonly string[], name: string): string[] {
  const found = lines.findIndex(line => /^(?:export )?(?:async )?function (\w+)/.exec(line)?.[1] === name)
  const end = lines.indexOf('}', found)
  if (found < 0) throw new Error(`There is no function ${name}.`)
  let start = found
  while (/^(\/\*\*| \*)/.test(lines[start - 1] ?? '')) start--
  return lines.slice(start, end + 1)
}

if (import.meta.main) {
  for (const file of [...guides, readme]) writeFileSync(file, insertSamples(readFileSync(file, 'utf8')).text)
}
