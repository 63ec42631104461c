import { globSync } from 'node:fs'
import ts from 'typescript'
import { lineOf, parseSource, walk } from '../architecture/source-files.ts'

/** A statement of the storage port as it is written: its text around the values. */
export interface Statement {
  /** `platform/messages/store.ts:38 listNewest` */
  place: string
  parts: readonly string[]
}

const folder = 'packages/server/src'
const ways = new Set(['get', 'all', 'run'])

/** Every statement of the service, also those that no test runs. */
export function listStatements(root: string): Statement[] {
  const files = globSync([`${folder}/**/store.ts`, `${folder}/storage/*.ts`], { cwd: root })
  return files
    .filter(file => !/test(ing)?[-.\w]*\.ts$/.test(file))
    .toSorted()
    .flatMap(file => statementsOf(root, file))
}

function statementsOf(root: string, path: string): Statement[] {
  const file = parseSource(root, path)
  const found: Statement[] = []
  walk(file.tree, node => {
    if (!ts.isTaggedTemplateExpression(node) || !isOfPort(node.tag)) return
    const line = lineOf(file, node.getStart(file.tree))
    const place = `${path.slice(folder.length + 1)}:${line} ${functionAround(node)}`
    found.push({ place, parts: partsOf(node.template) })
  })
  return found
}

function isOfPort(tag: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(tag) && ways.has(tag.name.text)
}

function partsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  return [template.head.text, ...template.templateSpans.map(span => span.literal.text)]
}

function functionAround(node: ts.Node): string {
  let at = node.parent
  while (!ts.isSourceFile(at)) {
    if (ts.isFunctionDeclaration(at) && at.name !== undefined) return at.name.text
    at = at.parent
  }
  return ''
}
