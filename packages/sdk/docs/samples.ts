// Copies the sample files of this folder into docs/bots.md and the README: `node packages/sdk/docs/samples.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const guide = join(root, 'docs/bots.md')
export const readme = join(root, 'packages/sdk/README.md')

const block = /^([ \t]*)<!-- (\S+) -->\n[ \t]*```(\w+)\n[\s\S]*?^[ \t]*```$/gm

/**
 * Replaces each code block that follows a comment with a file name by the content of that file. Also returns the file
 * names.
 */
export function insertSamples(text: string): { text: string; files: string[] } {
  const files: string[] = []
  const replaced = text.replaceAll(block, (_, indent: string, file: string, language: string) => {
    files.push(file)
    const code = readFileSync(join(root, file), 'utf8').trimEnd().split('\n')
    const lines = [`<!-- ${file} -->`, `\`\`\`${language}`, ...code, '```']
    return lines.map(line => (line === '' ? '' : indent + line)).join('\n')
  })
  return { text: replaced, files }
}

if (import.meta.main) {
  for (const file of [guide, readme]) writeFileSync(file, insertSamples(readFileSync(file, 'utf8')).text)
}
