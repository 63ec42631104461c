import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { listFragments, partsOf } from '../../tools/sql-statements.ts'

/** An SQL statement in the source code: the parts of its text between the parameters. */
export interface Statement {
  /** `community/messages/message-store.ts:38 listNewest` */
  place: string
  parts: readonly string[]
}

const folder = join(import.meta.dirname, '../../packages/server/src')

/** Lists every statement of the service, including statements that no test runs. */
export function listStatements(): Statement[] {
  return globSync(['**/{store,*-store}.ts', 'storage/*.ts'], { cwd: folder })
    .filter(file => !/(test(ing)?[-.\w]*|\.fixture)\.ts$/.test(file))
    .toSorted()
    .flatMap(parseStatements)
}

function parseStatements(path: string): Statement[] {
  const text = readFileSync(join(folder, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const fragments = listFragments(tree)
  const found: Statement[] = []
  function visit(node: ts.Node, outerName: string): void {
    const name = (ts.isFunctionDeclaration(node) && node.name?.text) || outerName
    if (ts.isTaggedTemplateExpression(node) && isStatementTag(node.tag)) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
      found.push({ place: `${path}:${line} ${name}`, parts: partsOf(node.template, fragments) })
    }
    ts.forEachChild(node, child => visit(child, name))
  }
  visit(tree, '')
  return found
}

function isStatementTag(tag: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(tag) && ['get', 'all', 'run'].includes(tag.name.text)
}
