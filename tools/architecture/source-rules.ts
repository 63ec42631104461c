import ts from 'typescript'
import { findClockRead, findEnvironmentRead } from './environment-and-clock.ts'
import type { Finding } from './finding.ts'
import { matches, server, testCode, unit } from './folders.ts'
import { lineOf, type SourceFile, walk } from './source-files.ts'
import { findFloatingStatement, findSql } from './sql.ts'
import { findForeignTable } from './tables.ts'

/** Returns the message of the violation, or undefined. */
type NodeRule = (node: ts.Node, source: SourceFile) => string | undefined
interface Violation {
  line?: number
  message: string
}

type FileRule = (source: SourceFile) => Violation[]

interface SourceRule {
  name: string
  /** Whether the rule applies to the file. */
  in: (path: string) => boolean
  node?: NodeRule
  file?: FileRule
}

const production = (path: string) => matches(path, server) && !matches(path, testCode)
const packages = (path: string) => matches(path, '^packages/[^/]+/src/') && !matches(path, testCode)
const everywhere = () => true

/** Rules over the syntax tree. `check-architecture.test.ts` fails if a rule has no example of a violation. */
const sourceRules: SourceRule[] = [
  {
    name: 'sql-in-the-store',
    in: path =>
      production(path) && !matches(path, `${server}storage/`, `${server}(|.+/)([a-z-]+-)?store\\.ts$`),
    node: findSql,
  },
  { name: 'tables-of-the-folder', in: production, node: findForeignTable },
  { name: 'statements-are-awaited', in: path => matches(path, '^packages/'), node: findFloatingStatement },
  {
    name: 'environment-in-config',
    in: path => packages(path) && !matches(path, `${server}config\\.ts$`),
    node: findEnvironmentRead,
  },
  {
    name: 'clock-is-passed-in',
    in: path => production(path) && !matches(path, `${server}kit/clock\\.ts$`),
    node: findClockRead,
  },
  {
    name: 'no-module-state',
    // The buffer of random bytes in `kit/secret.ts` is not observable.
    in: path => production(path) && !matches(path, `${server}kit/secret\\.ts$`),
    node: findModuleVariable,
  },
  { name: 'no-hidden-import', in: packages, node: findHiddenImport },
  {
    name: 'index-has-comment',
    in: path => matches(path, `${server}(?:${unit})/index\\.ts$`),
    file: checkIndexComment,
  },
  { name: 'no-suppression', in: everywhere, file: checkComments },
  { name: 'tests-run', in: path => matches(path, '\\.test\\.tsx?$'), node: findDisabledTest },
]

/** Rules over paths. They apply to files of all types. */
const pathRules = [
  {
    name: 'sql-in-the-store',
    breaks: (path: string) => path.endsWith('.sql') && !matches(path, `${server}storage/`),
    message: 'SQL files are allowed only in storage/migrations/',
  },
  {
    name: 'no-junk-folder',
    breaks: (path: string) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.[^/]+$)/.test(path),
    message: 'a file name must describe its subject; utils, helpers, common and misc are not allowed',
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
    (file?.(source) ?? []).map(violation => ({ rule: name, file: source.path, ...violation })),
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

function checkIndexComment({ text, tree }: SourceFile): Violation[] {
  const lines = (ts.getLeadingCommentRanges(text, tree.getFullStart()) ?? [])
    .flatMap(({ pos, end }) => text.slice(pos, end).split('\n'))
    .filter(line => /\w/.test(line))
  return lines.length >= 2
    ? []
    : [{ line: 1, message: 'must start with a comment of at least two lines on what the folder contains' }]
}

const comment = String.raw`(?:\/\/|\/\*|^\s*\*|\{\s*\/\*).*`
const todo = new RegExp(String.raw`${comment}\b(?:TODO|FIXME|XXX)\b`)
const suppression = new RegExp(`${comment}(?:biome-ignore|eslint-disable|@ts-ignore|@ts-nocheck)`)

/** Finds to-do comments and comments that suppress a check. */
function checkComments({ text }: SourceFile): Violation[] {
  return text.split('\n').flatMap((line, index) => {
    if (todo.test(line))
      return [{ line: index + 1, message: 'to-do comments are not allowed; open an issue' }]
    return suppression.test(line)
      ? [{ line: index + 1, message: 'comments that suppress a check are not allowed; fix the code' }]
      : []
  })
}

/** Module variables are shared by all services in the process, so state belongs to objects that compose.ts creates. */
function findModuleVariable(node: ts.Node): string | undefined {
  const isVariable =
    ts.isVariableStatement(node) &&
    ts.isSourceFile(node.parent) &&
    (node.declarationList.flags & ts.NodeFlags.Const) === 0
  return isVariable ? 'modules must not have mutable variables' : undefined
}

/** Finds imports that dependency-cruiser cannot resolve. */
function findHiddenImport(node: ts.Node): string | undefined {
  if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'createRequire')
    return 'createRequire is not allowed because the import checks cannot follow it'
  if (!ts.isCallExpression(node)) return undefined
  const [first] = node.arguments
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isRequire || (isImport && !(first && ts.isStringLiteralLike(first)))
    ? 'computed imports are not allowed because the import checks cannot follow them'
    : undefined
}

const runners = new Set(['test', 'it', 'describe', 'suite'])
const modifiers = new Set(['only', 'skip', 'todo'])

/** Finds `only`, `skip` and `todo`. `t.skip(reason)` in a test is allowed, for example if a service is missing. */
function findDisabledTest(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && modifiers.has(node.name.text) && isRunner(node.expression))
    return `${node.getText()} disables tests`
  if (!ts.isCallExpression(node) || !isRunner(node.expression)) return undefined
  const option = node.arguments
    .filter(ts.isObjectLiteralExpression)
    .flatMap(options => [...options.properties])
    .find(property => modifiers.has(property.name?.getText() ?? '') && isUnconditional(property))
  return option && `${option.getText()} disables tests`
}

function isRunner(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && runners.has(node.text)
}

/** A condition such as `skip: !database && '…'` is allowed. */
function isUnconditional(property: ts.ObjectLiteralElementLike): boolean {
  return (
    ts.isPropertyAssignment(property) &&
    (property.initializer.kind === ts.SyntaxKind.TrueKeyword || ts.isStringLiteralLike(property.initializer))
  )
}
