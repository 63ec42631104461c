import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'

/**
 * Compares code and tests with `docs/spec/`: every citation must exist, and every requirement must be cited in a test
 * name. `docs/spec/README.md` describes the form of both. Also checks that every identifier of `docs/glossary.md`
 * occurs in its file.
 */

export interface Spec {
  /** Names of the documents without `.md`: the first part of every id. */
  documents: readonly string[]
  /** `document/slug` of each heading. */
  sections: ReadonlySet<string>
  /** `document/name` of each requirement. */
  requirements: ReadonlySet<string>
  /** Ids that are defined twice, or in the wrong document. */
  errors: readonly string[]
}

/** Reads documents by name (`sign-in`) and Markdown text. */
export function readSpec(texts: Readonly<Record<string, string>>): Spec {
  const sections = new Set<string>()
  const requirements = new Set<string>()
  const errors: string[] = []
  for (const [document, text] of Object.entries(texts)) {
    for (const line of text.split('\n')) {
      const heading = /^#{2,} (.+)$/.exec(line)?.[1]
      if (heading !== undefined) sections.add(`${document}/${slugOf(heading)}`)
      const id = /^- `([^`\s]+\/[^`\s]+)` /.exec(line)?.[1]
      if (id === undefined) continue
      if (!id.startsWith(`${document}/`)) errors.push(`${document}.md: ${id} belongs to another document`)
      if (requirements.has(id)) errors.push(`${document}.md: ${id} is defined twice`)
      requirements.add(id)
    }
  }
  return { documents: Object.keys(texts), sections, requirements, errors }
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** The ids that a text cites. A path such as `webhooks/webhook-store.ts` or `/webhooks/slack` is not a citation. */
export function citationsIn(text: string, documents: readonly string[]): string[] {
  const id = new RegExp(
    String.raw`(?<![\w./@{}*-])(?:${documents.join('|')})/[a-z0-9]+(?:-[a-z0-9]+)*(?![\w/*{-]|\.\w)`,
    'g',
  )
  return [...new Set(text.match(id))]
}

/** The string literals of a source file, which include the names of its tests. A comment is not one. */
export function stringsIn(source: string): string {
  const strings: string[] = []
  function visit(node: ts.Node): void {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) strings.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest))
  return strings.join('\n')
}

/** The rows of the glossary whose file does not exist or does not contain their identifier. */
export function glossaryErrors(glossary: string, read: (file: string) => string | undefined): string[] {
  const rows = glossary.matchAll(/^\| ([^|]+) \|.*\| (?:`([^`]+)`, )?`([^`]+)` \|$/gm)
  return [...rows].flatMap(([, term, name, file = '']) => {
    const text = read(file)
    if (text === undefined) return [`${term}: ${file} does not exist`]
    return name === undefined || new RegExp(`\\b${name}\\b`).test(text)
      ? []
      : [`${term}: ${name} is not in ${file}`]
  })
}

export function checkSpec(root: string): string[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(file => /\.(?:tsx?|sql|css|md|eta)$/.test(file) && !file.startsWith('tools/check-spec'))
  const documents = files.filter(file => /^docs\/spec\/[a-z-]+\.md$/.test(file))
  const spec = readSpec(Object.fromEntries(documents.map(file => [basename(file, '.md'), read(file)])))
  const errors = [...spec.errors]
  const tested = new Set<string>()
  for (const file of files) {
    const text = read(file)
    for (const id of citationsIn(text, spec.documents)) {
      if (!spec.requirements.has(id) && !spec.sections.has(id))
        errors.push(`${file}: ${id} is not in docs/spec/`)
    }
    if (!/\.test\.tsx?$/.test(file)) continue
    for (const id of citationsIn(stringsIn(text), spec.documents)) tested.add(id)
  }
  for (const id of spec.requirements) {
    if (!tested.has(id)) errors.push(`no test cites ${id}`)
  }
  const glossary = glossaryErrors(read('docs/glossary.md'), file =>
    existsSync(join(root, file)) ? read(file) : undefined,
  )
  return [...errors, ...glossary.map(error => `docs/glossary.md: ${error}`)]
}
