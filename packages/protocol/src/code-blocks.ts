import { splitCode } from './code.ts'

// The list items and block quotes around a line. The limits keep the lines of code short, because each begins like
// this.
const container = /^(?:[ \t]{0,8}(?:> |[-*][ \t]|\d{1,9}\.[ \t])){0,3}[ \t]{0,8}/
const language = /^[\w+.#-]+(?=\r?\n[\s`]*[^\s`])/

/**
 * Puts the fences of code with several lines on lines of their own, as Markdown requires, and those of code that begins
 * or ends with a backtick. With `languages`, a first line of one word is the language of the code, as on Discord.
 */
export function separateCode(text: string, { languages }: { languages: boolean }): string {
  let lines = ''
  let line = ''
  const add = (added: string) => {
    const end = added.lastIndexOf('\n') + 1
    if (end > 0) lines += line + added.slice(0, end)
    line = end > 0 ? added.slice(end) : line + added
  }
  let read = 0
  let follows = false
  for (const part of splitCode(text)) {
    read += part.text.length
    const body = part.text.slice(part.fence, -part.fence)
    if (part.fence < 3 || !/[^\s`]/.test(body) || !/\n|^`|`$/.test(body)) {
      add(follows ? part.text.trimStart() : part.text)
      follows = false
      continue
    }
    const [start] = container.exec(line) ?? ['']
    const indent = start.replace(/[^>\s]/g, ' ')
    const [word = ''] = (languages && language.exec(body)) || []
    const fence = '`'.repeat(part.fence)
    const isAlone = line.slice(start.length).trim() === ''
    line = isAlone ? start : `${line.trimEnd()}\n${indent}`
    add([fence + word, ...removeIndent(body.slice(word.length), indent), fence].join(`\n${indent}`))
    follows = !/^[ \t]*(?:\r?\n|$)/.test(text.slice(read))
    if (follows) add(`\n${indent}`)
  }
  return lines + line
}

/**
 * The lines of code without the indentation of its container, and without what is only the end of a line with a fence.
 */
function removeIndent(body: string, indent: string): string[] {
  const prefix = new RegExp(`^${indent.replace(/./g, char => (char === '>' ? '>?' : '[ \\t]?'))}`)
  const lines = body.split('\n').map((line, index) => (index === 0 ? line : line.replace(prefix, '')))
  if (lines[0]?.trim() === '') lines.shift()
  if (/^[ \t]*`*$/.test(lines.at(-1) ?? '')) lines.pop()
  return lines
}

/** A character with a backslash, a backtick, or tildes at the start of a line, list item or block quote. */
const escapable = /\\.|`|(?=~{3})(?<=^[-\t >*+\d.)]*)~/gm

/**
 * Escapes what is code in Markdown only: backticks that nothing closes, or with only line breaks between them, and
 * fences of tildes. So a reader sees as code what `parseMentions` ignores.
 */
export function escapeOtherFences(text: string): string {
  const addBackslash = (found: string) => (found.startsWith('\\') ? found : `\\${found}`)
  return splitCode(text)
    .map(part =>
      part.fence > 0 && /[^\s`]|^.*$/.test(part.text)
        ? part.text
        : part.text.replace(escapable, addBackslash),
    )
    .join('')
}
