import type ts from 'typescript'
import { readsClock, readsEnvironment } from './ambient.ts'
import { saysTooLittle, suppressesOrPostpones } from './comments.ts'
import type { Finding } from './finding.ts'
import { hidesImport, holdsState } from './modules.ts'
import { matches, server, testCode, unit } from './places.ts'
import { lineOf, type SourceFile, walk } from './source-files.ts'
import { dropsStatement, writesSql } from './sql.ts'
import { holdsTestBack } from './test-rules.ts'

/** What one node breaks, in words; undefined where it breaks nothing. */
type NodeRule = (node: ts.Node, source: SourceFile) => string | undefined
/** What a whole file breaks. */
type FileRule = (source: SourceFile) => { line?: number; message: string }[]

interface SourceRule {
  name: string
  /** Which files it holds for. */
  in: (path: string) => boolean
  node?: NodeRule
  file?: FileRule
}

const production = (path: string) => matches(path, server) && !matches(path, testCode)
const packages = (path: string) => matches(path, '^packages/[^/]+/src/') && !matches(path, testCode)
const everywhere = () => true

/** What imports alone do not show, read from the syntax tree. Each has a planted fault in the tests. */
const sourceRules: SourceRule[] = [
  {
    name: 'sql-in-the-store',
    in: path => production(path) && !matches(path, `${server}storage/`, `${server}(|.+/)store\\.ts$`),
    node: writesSql,
  },
  { name: 'statements-are-awaited', in: path => matches(path, '^packages/'), node: dropsStatement },
  {
    name: 'environment-in-config',
    in: path => packages(path) && !matches(path, `${server}config\\.ts$`),
    node: readsEnvironment,
  },
  {
    name: 'clock-is-passed-in',
    in: path => production(path) && !matches(path, `${server}kit/clock\\.ts$`),
    node: readsClock,
  },
  {
    name: 'no-module-state',
    // A pool of random bytes is no state that anybody can tell from what was built.
    in: path => production(path) && !matches(path, `${server}kit/secret\\.ts$`),
    node: holdsState,
  },
  { name: 'no-hidden-import', in: packages, node: hidesImport },
  {
    name: 'index-says-what-it-owns',
    in: path => matches(path, `${server}(?:${unit})/index\\.ts$`),
    file: saysTooLittle,
  },
  { name: 'nothing-held-back', in: everywhere, file: suppressesOrPostpones },
  { name: 'tests-run', in: path => matches(path, '\\.test\\.tsx?$'), node: holdsTestBack },
]

/** The rules over paths alone: they hold for files of any kind. */
const pathRules = [
  {
    name: 'sql-in-the-store',
    breaks: (path: string) => path.endsWith('.sql') && !matches(path, `${server}storage/`),
    message: 'SQL files belong to storage/migrations/',
  },
  {
    name: 'no-junk-folder',
    breaks: (path: string) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.[^/]+$)/.test(path),
    message: 'a file is named by what it is about, not by being of use',
  },
]

export const sourceRuleNames = [...new Set([...sourceRules, ...pathRules].map(({ name }) => name))]

export function checkPaths(paths: string[]): Finding[] {
  return pathRules.flatMap(({ name, breaks, message }) =>
    paths.filter(breaks).map(file => ({ rule: name, file, message })),
  )
}

export function checkSource(source: SourceFile): Finding[] {
  const rules = sourceRules.filter(rule => rule.in(source.path))
  const findings: Finding[] = rules.flatMap(({ name, file }) =>
    (file?.(source) ?? []).map(broken => ({ rule: name, file: source.path, ...broken })),
  )
  walk(source.tree, node => {
    for (const { name, node: check } of rules) {
      const message = check?.(node, source)
      if (message !== undefined)
        findings.push({
          rule: name,
          file: source.path,
          line: lineOf(source, node.getStart(source.tree)),
          message,
        })
    }
  })
  return findings
}
