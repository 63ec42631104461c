import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const text = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '')
  return text.replaceAll(' ', '-')
}

/** The rows of the glossary whose file does not exist or does not contain their identifier. */
function checkGlossary(files: ReadonlyMap<string, string>): string[] {
  const glossary = files.get('docs/glossary.md') ?? ''
  const rows = glossary.matchAll(/^\| ([^|]+) \|.*\| (?:`([^`]+)`, )?`([^`]+)` \|$/gm)
  return [...rows].flatMap(([, term, name = '', file = '']) => {
    const text = files.get(file)
    if (text === undefined) return [`docs/glossary.md: ${term}: ${file} does not exist`]
    const isFound = new RegExp(`\\b${name}\\b`).test(text)
    return isFound ? [] : [`docs/glossary.md: ${term}: ${name} is not in ${file}`]
  })
}

/**
 * Compares texts, by path, with `docs/spec/`: every citation must exist, and every requirement must be cited by a test,
 * outside its comments. `docs/spec/README.md` describes the form of both.
 */
export function checkTexts(files: ReadonlyMap<string, string>): string[] {
  const errors: string[] = []
  const documents: string[] = []
  const sections = new Set<string>()
  const untested = new Set<string>()
  for (const [path, text] of files) {
    const [, document] = /^docs\/spec\/([a-z-]+)\.md$/.exec(path) ?? []
    if (document === undefined) continue
    documents.push(document)
    for (const [, heading = ''] of text.matchAll(/^#{2,} (.+)$/gm))
      sections.add(`${document}/${anchorOf(heading)}`)
    for (const [, id = ''] of text.matchAll(/^- `([^`\s]+\/[^`\s]+)` /gm)) {
      if (!id.startsWith(`${document}/`)) errors.push(`${path}: ${id} belongs to another document`)
      if (untested.has(id)) errors.push(`${path}: ${id} is defined twice`)
      untested.add(id)
    }
  }
  const requirements = new Set(untested)
  // Not a path such as `webhooks/webhook-store.ts` or `/webhooks/slack`.
  const id = String.raw`(?<![\w./@{}*-])(?:${documents.join('|')})/[a-z0-9]+(?:-[a-z0-9]+)*(?![\w/*{-]|\.\w)`
  const citation = new RegExp(id, 'g')
  for (const [path, text] of files) {
    for (const [id] of text.matchAll(citation))
      if (!requirements.has(id) && !sections.has(id)) errors.push(`${path}: ${id} is not in docs/spec/`)
    if (!/\.test\.tsx?$/.test(path)) continue
    const withoutComments = text.replaceAll(/(^|\s)\/\/ .*$|^\s*\/?\*.*$/gm, '')
    for (const [id] of withoutComments.matchAll(citation)) untested.delete(id)
  }
  return [...errors, ...[...untested].map(id => `no test cites ${id}`), ...checkGlossary(files)]
}

export function checkSpec(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  const checked = paths.filter(
    path =>
      /\.(tsx?|sql|css|md|eta)$/.test(path) &&
      !basename(path).startsWith('check-spec') &&
      existsSync(join(root, path)),
  )
  return checkTexts(new Map(checked.map(path => [path, readFileSync(join(root, path), 'utf8')])))
}
