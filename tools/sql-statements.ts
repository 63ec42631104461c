import ts from 'typescript'

/** Whether it is SQL that statements of its file share: `fragment` of storage/database.ts. */
export function isFragment(node: ts.Node): node is ts.TaggedTemplateExpression {
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'fragment'
}

/** The fragments of a file by the names of their constants, which it does not export. */
export function listFragments(tree: ts.SourceFile): ReadonlyMap<string, string> {
  const fragments = new Map<string, string>()
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement) || statement.modifiers) continue
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer && isFragment(initializer) && ts.isNoSubstitutionTemplateLiteral(initializer.template))
        fragments.set(name.getText(), initializer.template.text)
  }
  return fragments
}

/** The text of a statement between its parameters. */
export function partsOf(template: ts.TemplateLiteral, fragments: ReadonlyMap<string, string>): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
  const parts = [template.head.text]
  for (const { expression, literal } of template.templateSpans) {
    const fragment = fragments.get(expression.getText())
    if (fragment === undefined) parts.push(literal.text)
    else parts.push(`${parts.pop()}${fragment}${literal.text}`)
  }
  return parts
}
