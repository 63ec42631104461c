import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { walk } from '../../tools/check-structure.ts'

/** An SQL statement in the source code: the parts of its template between the values. */
export interface Statement {
  /** `community/messages/message-store.ts:38 listNewest` */
  place: string
  parts: readonly string[]
}

const folder = 'packages/server/src'
const methods = new Set(['get', 'all', 'run'])

/** Lists every statement of the service, including statements that no test runs. */
export function listStatements(root: string): Statement[] {
  const files = globSync([`${folder}/**/{store,*-store}.ts`, `${folder}/storage/*.ts`], { cwd: root })
  return files
    .filter(file => !/(test(ing)?[-.\w]*|\.fixture)\.ts$/.test(file))
    .toSorted()
    .flatMap(file => parseStatements(root, file))
}

function parseStatements(root: string, path: string): Statement[] {
  const text = readFileSync(join(root, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: Statement[] = []
  walk(tree, node => {
    if (!ts.isTaggedTemplateExpression(node) || !isStatementTag(node.tag)) return
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
    const place = `${path.slice(folder.length + 1)}:${line} ${enclosingFunctionName(node)}`
    found.push({ place, parts: templateParts(node.template) })
  })
  return found
}

function isStatementTag(tag: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(tag) && methods.has(tag.name.text)
}

function templateParts(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  return [template.head.text, ...template.templateSpans.map(span => span.literal.text)]
}

function enclosingFunctionName(node: ts.Node): string {
  let ancestor = node.parent
  while (!ts.isSourceFile(ancestor)) {
    if (ts.isFunctionDeclaration(ancestor) && ancestor.name !== undefined) return ancestor.name.text
    ancestor = ancestor.parent
  }
  return ''
}
