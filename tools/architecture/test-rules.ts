import ts from 'typescript'

const runners = new Set(['test', 'it', 'describe', 'suite'])
const holds = new Set(['only', 'skip', 'todo'])

/**
 * A test that is singled out or left out for good. `t.skip(reason)` inside a test is not meant: what a missing
 * service keeps from running says so by name.
 */
export function holdsTestBack(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && holds.has(node.name.text) && isRunner(node.expression))
    return `${node.getText()} keeps tests from running`
  if (!ts.isCallExpression(node) || !isRunner(node.expression)) return undefined
  const option = node.arguments
    .filter(ts.isObjectLiteralExpression)
    .flatMap(options => [...options.properties])
    .find(property => holds.has(property.name?.getText() ?? '') && isAlways(property))
  return option && `${option.getText()} keeps tests from running`
}

function isRunner(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && runners.has(node.text)
}

/** Decided by the literal alone; a condition (`skip: !database && '…'`) is a reason. */
function isAlways(property: ts.ObjectLiteralElementLike): boolean {
  return (
    ts.isPropertyAssignment(property) &&
    (property.initializer.kind === ts.SyntaxKind.TrueKeyword || ts.isStringLiteralLike(property.initializer))
  )
}
