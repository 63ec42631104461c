import { buildText, type Parameter, quotedOrComment } from './sql-template.ts'

/** The values of several uses of a statement. */
type Uses = readonly (readonly Parameter[])[]

/** The types of the parameters of several uses: text, unless a value is a number. */
export function arrayTypes(uses: Uses): string[] {
  const first = uses[0] ?? []
  return first.map((_, i) => (uses.some(values => typeof values[i] === 'number') ? 'bigint' : 'text'))
}

/** One array literal of PostgreSQL for each parameter, with its value in each use. */
export function toArrays(uses: Uses): string[] {
  const first = uses[0] ?? []
  return first.map((_, i) => `{${uses.map(values => toElement(values[i] ?? null)).join()}}`)
}

function toElement(value: Parameter): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError('a merged statement accepts no bytes')
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}

/**
 * The text of a SELECT for several uses: its parameters are arrays, and its first column is the position of the use, from 1. It
 * returns the first row of each use, or all rows in no order.
 */
export function mergedSelect(
  template: TemplateStringsArray,
  types: readonly string[],
  { limit, from = 1 }: { limit: 'first' | 'all'; from?: number },
): string {
  const body = bodyOf(template)
  const rows = limit === 'all' ? body : `SELECT * FROM (${body}) AS b LIMIT 1`
  return `SELECT merged.use, q.* FROM ${usesOf(types, from)} CROSS JOIN LATERAL (${rows}) AS q`
}

/** Without the first columns of a merged statement, which are about the use. */
export function toRow(
  columns: readonly string[],
  values: readonly unknown[],
  from: number,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = from; i < columns.length; i++) row[columns[i] ?? ''] = values[i]
  return row
}

/** Whether the order of the rows matters, or their number is limited. */
export function isOrdered(template: TemplateStringsArray): boolean {
  return topLevelKeywords(template.join('?')).some(
    ({ keyword }) => keyword === 'ORDER' || keyword === 'LIMIT',
  )
}

/**
 * The text of a statement that runs all given statements, each for several uses, in one transaction, and returns the number
 * of changed or selected rows. It succeeds if every statement changed or found one row for each use, or none at all. Otherwise
 * it fails with `division_by_zero` and changes nothing; two uses of one row cause that too. The caller then sends each use alone.
 * The last parameter is the number of uses.
 */
export function mergedBatch(
  templates: readonly TemplateStringsArray[],
  types: readonly (readonly string[])[],
): string {
  let from = 1
  const parts = templates.map((template, i) => {
    const own = types[i] ?? []
    const text = mergedStatement(template, own, from)
    from += own.length
    return `s${i} AS (${text})`
  })
  const counts = templates.map((_, i) => `(SELECT COUNT(*) FROM s${i})`)
  const isComplete = counts.map(count => `${count} = $${from}::bigint`).join(' AND ')
  const sum = counts.join(' + ')
  return `WITH ${parts.join(', ')} SELECT (${sum}) / CASE WHEN (${isComplete}) OR ${sum} = 0 THEN 1 ELSE 0 END AS rows`
}

/**
 * The text of a statement that runs a SELECT, and an UPDATE with further statements that depend on it, each for several uses.
 * It returns a row for each use: `use`, its position; `changed`, the same position if the UPDATE changed a row; `found`, 1 if the SELECT found a
 * row; and the columns of that row. What does not apply is null. All parts see the state before the statement. Of
 * several uses that change the same row, one changes it.
 */
export function mergedReadAndTryChange(
  read: TemplateStringsArray,
  changes: readonly TemplateStringsArray[],
  types: readonly (readonly string[])[],
): string {
  const [readTypes = [], ...changeTypes] = types
  let from = 1 + readTypes.length
  const parts = changes.map((template, i) => {
    const own = changeTypes[i] ?? []
    const text = mergedStatement(template, own, from, i === 0 ? undefined : 's0')
    from += own.length
    return `s${i} AS (${text})`
  })
  const row = `SELECT 1 AS found, b.* FROM (${bodyOf(read)}) AS b LIMIT 1`
  return (
    `WITH ${parts.join(', ')} SELECT merged.use, s0.use AS changed, q.* FROM ${usesOf(readTypes, 1)} ` +
    `LEFT JOIN LATERAL (${row}) AS q ON true LEFT JOIN s0 ON s0.use = merged.use`
  )
}

/** `after`: runs only for the uses that this part returned. */
function mergedStatement(
  template: TemplateStringsArray,
  types: readonly string[],
  from: number,
  after?: string,
): string {
  const text = bodyOf(template)
  const uses = usesOf(types, from)
  const places = topLevelKeywords(text)
  const placeOf = (name: string) => places.find(({ keyword }) => keyword === name)?.at
  const verb = places[0]?.keyword
  if (verb === 'SELECT') return mergedSelect(template, types, { limit: 'first', from })
  const where = placeOf('WHERE')
  const values = placeOf('VALUES')
  if (verb === 'UPDATE' && where !== undefined && placeOf('RETURNING') === undefined) {
    return `${text.slice(0, where)} FROM ${uses} ${text.slice(where)} RETURNING merged.use`
  }
  if (verb === 'INSERT' && values !== undefined && placeOf('RETURNING') === undefined) {
    const open = text.indexOf('(', values)
    const close = closingParenthesis(text, open)
    const row = text.slice(open + 1, close)
    const condition = after === undefined ? 'true' : `merged.use IN (SELECT use FROM ${after})`
    return `${text.slice(0, values)} SELECT ${row} FROM ${uses} WHERE ${condition} ${text.slice(close + 1)} RETURNING 1`
  }
  throw new TypeError('a batch accepts SELECT, UPDATE … WHERE and INSERT … VALUES, without RETURNING')
}

/** The statement with columns of the uses as its parameters. */
function bodyOf(template: TemplateStringsArray): string {
  return buildText(template, [], n => `merged.value_${n}`, String)
}

function usesOf(types: readonly string[], from: number): string {
  const arrays = types.map((type, i) => `(SELECT $${from + i}::${type}[])`).join(', ')
  const columns = types.map((_, i) => `value_${i + 1}`).join(', ')
  return `unnest(${arrays}) WITH ORDINALITY AS merged(${columns}, use)`
}

const keywords = /[()]|\b(?:SELECT|INSERT|UPDATE|DELETE|VALUES|WHERE|RETURNING|ORDER|LIMIT|FOR)\b/gi

/** The keywords outside of parentheses and quotes, with their places in the text. */
function topLevelKeywords(text: string): { keyword: string; at: number }[] {
  let depth = 0
  const found: { keyword: string; at: number }[] = []
  for (const { 0: token, index } of withoutQuotes(text).matchAll(keywords)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (depth === 0) found.push({ keyword: token.toUpperCase(), at: index })
  }
  return found
}

function closingParenthesis(text: string, open: number): number {
  let depth = 0
  for (const { 0: token, index } of withoutQuotes(text).slice(open).matchAll(/[()]/g)) {
    depth += token === '(' ? 1 : -1
    if (depth === 0) return open + index
  }
  throw new TypeError('a parenthesis is not closed')
}

/** Of the same length. */
function withoutQuotes(text: string): string {
  return text.replace(quotedOrComment, quoted => ' '.repeat(quoted.length))
}
