import ts from 'typescript'

const tags = new Set(['get', 'all', 'run', 'sql'])

/** Statements as the house writes them, and as anybody might: prose seldom opens in capitals. */
const statement = new RegExp(
  [
    'SELECT\\s',
    'INSERT\\s+(OR\\s+\\w+\\s+)?INTO\\s',
    'REPLACE\\s+INTO\\s',
    'UPDATE\\s+\\S+\\s+SET\\s',
    'DELETE\\s+FROM\\s',
    'CREATE\\s+(UNIQUE\\s+|TEMP\\s+|TEMPORARY\\s+|VIRTUAL\\s+)?(TABLE|INDEX|VIEW|TRIGGER|DATABASE)\\s',
    '(ALTER|DROP)\\s+(TABLE|INDEX|VIEW|TRIGGER|DATABASE)\\s',
    'WITH\\s+(RECURSIVE\\s+)?\\w+\\s*(\\([^)]*\\)\\s*)?AS\\s',
    '(PRAGMA|SAVEPOINT|TRUNCATE|VACUUM|ATTACH)\\s',
  ]
    .map(start => `^${start}`)
    .join('|'),
)

/** In small letters only what no sentence looks like. */
const smallStatement =
  /^(select\s+(\*|[\w.]+\(.*?\)|[\w.]+(\s*,\s*[\w.]+)*)\s+from\s+[\w."]+\s*($|;|where\s|order\s|limit\s|join\s|group\s)|insert\s+into\s+[\w."]+\s*\(|update\s+[\w."]+\s+set\s+[\w."]+\s*=|delete\s+from\s+[\w."]+\s*($|;|where\s)|create\s+(unique\s+)?(table|index)\s+(if\s|[\w."]+\s*(\(|on\s))|(alter|drop)\s+table\s+(if\s|[\w."]+($|;|\s+(add|drop|rename|alter)\s)))/

/** SQL is written in `store.ts` and in storage/: a template of the port, or a text that opens as a statement does. */
export function writesSql(node: ts.Node): string | undefined {
  if (ts.isTaggedTemplateExpression(node) && tags.has(nameOf(node.tag)))
    return `a statement of the storage port (\`${nameOf(node.tag)}\`) outside a store.ts`
  const text = textOf(node)
  return text !== undefined && isSql(text) ? 'SQL text outside a store.ts' : undefined
}

/** Biome follows promises that calls return, not those of tagged templates. */
export function dropsStatement(node: ts.Node): string | undefined {
  const isDropped =
    ts.isExpressionStatement(node) &&
    ts.isTaggedTemplateExpression(node.expression) &&
    tags.has(nameOf(node.expression.tag))
  return isDropped ? 'a statement that nobody waits for' : undefined
}

function isSql(text: string): boolean {
  const bare = text.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return statement.test(bare) || smallStatement.test(bare)
}

function nameOf(tag: ts.Expression): string {
  if (ts.isPropertyAccessExpression(tag)) return tag.name.text
  if (ts.isElementAccessExpression(tag) && ts.isStringLiteralLike(tag.argumentExpression))
    return tag.argumentExpression.text
  return ts.isIdentifier(tag) ? tag.text : ''
}

/** The text of a literal, with `?` where a template has a value. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(span => `?${span.literal.text}`).join('')
  const isTagged = node.parent !== undefined && ts.isTaggedTemplateExpression(node.parent)
  return ts.isStringLiteralLike(node) && !(isTagged && tags.has(nameOf(node.parent.tag)))
    ? node.text
    : undefined
}
