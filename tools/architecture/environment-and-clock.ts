import ts from 'typescript'
import type { SourceFile } from './source-files.ts'

/** Finds reads of `process.env`, in any notation. */
export function findEnvironmentRead(node: ts.Node, source: SourceFile): string | undefined {
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
  return isRead ? 'only config.ts may read environment variables' : undefined
}

/** Finds reads of the system clock, in any notation. `new Date(ms)` is allowed. */
export function findClockRead(node: ts.Node): string | undefined {
  const object = objectOf(node)
  const isRead =
    (memberOf(node) === 'now' && isNamed(object, 'Date')) ||
    (memberOf(node) === 'Now' && isNamed(object, 'Temporal')) ||
    (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && !node.arguments?.length) ||
    (ts.isCallExpression(node) && isNamed(node.expression, 'Date'))
  return isRead ? 'only kit/clock.ts may read the system clock' : undefined
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

/** Matches `name` and `globalThis.name`. */
function isNamed(node: ts.Expression | undefined, name: string): boolean {
  if (!node) return false
  if (ts.isIdentifier(node)) return node.text === name
  return memberOf(node) === name && isNamed(objectOf(node), 'globalThis')
}

function isProcess(node: ts.Expression | undefined, source: SourceFile): boolean {
  if (isNamed(node, 'process')) return true
  return node !== undefined && ts.isIdentifier(node) && processNames(source).includes(node.text)
}

/** Returns the local names under which the file imports `process`. */
function processNames({ tree }: SourceFile): string[] {
  return tree.statements.flatMap(statement => {
    if (!ts.isImportDeclaration(statement) || !isModule(statement.moduleSpecifier, 'process')) return []
    const { name, namedBindings } = statement.importClause ?? {}
    return [
      name?.text,
      namedBindings && ts.isNamespaceImport(namedBindings) ? namedBindings.name.text : undefined,
    ].filter(text => text !== undefined)
  })
}

function isFrom(specifier: ts.ImportSpecifier, module: string): boolean {
  return isModule(specifier.parent.parent.parent.moduleSpecifier, module)
}

function isModule(specifier: ts.Expression, module: string): boolean {
  return ts.isStringLiteral(specifier) && specifier.text.replace(/^node:/, '') === module
}
