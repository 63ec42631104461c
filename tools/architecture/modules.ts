import ts from 'typescript'

/** State belongs to what compose.ts builds: a module that holds some is shared by all that were built. */
export function holdsState(node: ts.Node): string | undefined {
  const isVariable =
    ts.isVariableStatement(node) &&
    ts.isSourceFile(node.parent) &&
    (node.declarationList.flags & ts.NodeFlags.Const) === 0
  return isVariable ? 'a variable of the module outlives whatever was built from it' : undefined
}

/** An import that the import graph cannot see. */
export function hidesImport(node: ts.Node): string | undefined {
  if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'createRequire')
    return 'an import by createRequire is hidden from the checks'
  if (!ts.isCallExpression(node)) return undefined
  const [first] = node.arguments
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isRequire || (isImport && !(first && ts.isStringLiteralLike(first)))
    ? 'an import whose name is computed is hidden from the checks'
    : undefined
}
