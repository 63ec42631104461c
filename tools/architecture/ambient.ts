import ts from 'typescript'
import type { SourceFile } from './source-files.ts'

/** `process.env` under any of its spellings. */
export function readsEnvironment(node: ts.Node, source: SourceFile): string | undefined {
  const isRead =
    (memberOf(node) === 'env' && isProcess(objectOf(node), source)) ||
    (ts.isImportSpecifier(node) &&
      (node.propertyName ?? node.name).text === 'env' &&
      isFrom(node, 'process')) ||
    (ts.isVariableDeclaration(node) &&
      ts.isObjectBindingPattern(node.name) &&
      isProcess(node.initializer, source) &&
      node.name.elements.some(
        element => (element.propertyName ?? element.name).getText(source.tree) === 'env',
      ))
  return isRead ? 'the environment is read by config.ts alone' : undefined
}

/** The time of day under any of its spellings; `new Date(ms)` of a given time is no reading. */
export function readsClock(node: ts.Node): string | undefined {
  const object = objectOf(node)
  const isRead =
    (memberOf(node) === 'now' && isNamed(object, 'Date')) ||
    (memberOf(node) === 'Now' && isNamed(object, 'Temporal')) ||
    (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && !node.arguments?.length) ||
    (ts.isCallExpression(node) && isNamed(node.expression, 'Date'))
  return isRead ? 'the clock is passed in (kit/clock.ts)' : undefined
}

function memberOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
    return node.argumentExpression.text
  return undefined
}

function objectOf(node: ts.Node): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
    ? node.expression
    : undefined
}

/** `name`, or `name` of the global object. */
function isNamed(node: ts.Expression | undefined, name: string): boolean {
  if (!node) return false
  if (ts.isIdentifier(node)) return node.text === name
  return memberOf(node) === name && isNamed(objectOf(node), 'globalThis')
}

function isProcess(node: ts.Expression | undefined, source: SourceFile): boolean {
  if (isNamed(node, 'process')) return true
  return node !== undefined && ts.isIdentifier(node) && processNames(source).includes(node.text)
}

/** What the file calls the process where it imports it under a name of its own. */
function processNames({ tree }: SourceFile): string[] {
  return tree.statements.flatMap(statement => {
    if (!ts.isImportDeclaration(statement) || !names(statement.moduleSpecifier, 'process')) return []
    const { name, namedBindings } = statement.importClause ?? {}
    return [
      name?.text,
      namedBindings && ts.isNamespaceImport(namedBindings) ? namedBindings.name.text : undefined,
    ].filter(text => text !== undefined)
  })
}

function isFrom(specifier: ts.ImportSpecifier, module: string): boolean {
  return names(specifier.parent.parent.parent.moduleSpecifier, module)
}

function names(specifier: ts.Expression, module: string): boolean {
  return ts.isStringLiteral(specifier) && specifier.text.replace(/^node:/, '') === module
}
