import ts from 'typescript'

const tags = new Set(['get', 'all', 'run', 'sql'])

/** The start of a statement with keywords in capitals. */
const upperCaseStatement = new RegExp(
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

/** Statements in lower case. The patterns are stricter because English sentences start with the same words. */
const lowerCaseStatement =
  /^(select\s+(\*|[\w.]+\(.*?\)|[\w.]+(\s*,\s*[\w.]+)*)\s+from\s+[\w."]+\s*($|;|where\s|order\s|limit\s|join\s|group\s)|insert\s+into\s+[\w."]+\s*\(|update\s+[\w."]+\s+set\s+[\w."]+\s*=|delete\s+from\s+[\w."]+\s*($|;|where\s)|create\s+(unique\s+)?(table|index)\s+(if\s|[\w."]+\s*(\(|on\s))|(alter|drop)\s+table\s+(if\s|[\w."]+($|;|\s+(add|drop|rename|alter)\s)))/

/** The text of a statement, with `?` for each value. Undefined for a template with another tag. */
export function statementOf({ tag, template }: ts.TaggedTemplateExpression): string | undefined {
  return tags.has(nameOf(tag)) ? templateText(template) : undefined
}

/** Finds SQL: a tagged template of the storage port, or a string that starts like a statement. */
export function findSql(node: ts.Node): string | undefined {
  if (ts.isTaggedTemplateExpression(node) && tags.has(nameOf(node.tag)))
    return `SQL (\`${nameOf(node.tag)}\`) is allowed only in store files`
  const text = textOf(node)
  return text !== undefined && isSql(text) ? 'SQL is allowed only in store files' : undefined
}

/** Biome checks for floating promises of calls, but not of tagged templates. */
export function findFloatingStatement(node: ts.Node): string | undefined {
  const isFloating =
    ts.isExpressionStatement(node) &&
    ts.isTaggedTemplateExpression(node.expression) &&
    tags.has(nameOf(node.expression.tag))
  return isFloating ? 'the promise of the statement must be awaited' : undefined
}

function isSql(text: string): boolean {
  const bare = text.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  return upperCaseStatement.test(bare) || lowerCaseStatement.test(bare)
}

function nameOf(tag: ts.Expression): string {
  if (ts.isPropertyAccessExpression(tag)) return tag.name.text
  if (ts.isElementAccessExpression(tag) && ts.isStringLiteralLike(tag.argumentExpression))
    return tag.argumentExpression.text
  return ts.isIdentifier(tag) ? tag.text : ''
}

function templateText(template: ts.TemplateLiteral): string {
  if (!ts.isTemplateExpression(template)) return template.text
  return template.head.text + template.templateSpans.map(span => `?${span.literal.text}`).join('')
}

/** Returns the text of a literal, with `?` for each value of a template. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isTemplateExpression(node)) return templateText(node)
  const isTagged = node.parent !== undefined && ts.isTaggedTemplateExpression(node.parent)
  return ts.isStringLiteralLike(node) && !(isTagged && tags.has(nameOf(node.parent.tag)))
    ? node.text
    : undefined
}
