import { SqlFragment, SqlList, type SqlValue } from './database.ts'

/** A value as the drivers accept it. A list is one JSON text. */
export type Parameter = string | number | null | Uint8Array

/** What stands between two parts of a template. A fragment is only of its own kind. */
type Kind = 'value' | 'list' | SqlFragment

type BuildText = (template: TemplateStringsArray, kinds: readonly Kind[]) => string

interface Statement {
  text: string
  kinds: readonly Kind[]
}

/** A statement without parameters. */
export function sql(template: TemplateStringsArray): TemplateStringsArray {
  return template
}

/** The statement texts of one engine, cached by the identity of the template. */
export class StatementTexts {
  readonly #buildText: BuildText
  readonly #statements = new WeakMap<TemplateStringsArray, Statement>()
  readonly #readOnly = new WeakMap<TemplateStringsArray, boolean>()

  constructor(build: BuildText) {
    this.#buildText = build
  }

  /**
   * Throws if a parameter is a list in one use and a single value in another, or a fragment is not the same one: the
   * first use fixes the text.
   */
  text(template: TemplateStringsArray, values: readonly SqlValue[]): string {
    let statement = this.#statements.get(template)
    if (statement === undefined) {
      const kinds = values.map(kindOf)
      statement = { text: this.#buildText(template, kinds), kinds }
      this.#statements.set(template, statement)
    }
    for (let i = 0; i < values.length; i++) {
      if (statement.kinds[i] !== kindOf(values[i])) {
        throw new TypeError(`parameter ${i + 1} is not of the same kind in each use of this statement`)
      }
    }
    return statement.text
  }
  /** Whether the statement cannot change rows. */
  isReadOnly(template: TemplateStringsArray): boolean {
    let readOnly = this.#readOnly.get(template)
    if (readOnly === undefined) {
      readOnly = isReadOnly(template.join('?'))
      this.#readOnly.set(template, readOnly)
    }
    return readOnly
  }
}

function kindOf(value: SqlValue | undefined): Kind {
  if (value instanceof SqlFragment) return value
  return value instanceof SqlList ? 'list' : 'value'
}

/**
 * Joins the parts of a template with the fragments, and with `parameter(n)` or `listParameter(n)` for parameter n (from
 * 1).
 */
export function buildText(
  template: TemplateStringsArray,
  kinds: readonly Kind[],
  parameter: (n: number) => string,
  listParameter: (n: number) => string,
): string {
  let n = 0
  const texts = kinds.map(kind => {
    if (kind instanceof SqlFragment) return kind.text
    n++
    return kind === 'list' ? listParameter(n) : parameter(n)
  })
  return String.raw({ raw: template }, ...texts)
}

/**
 * Converts values to parameters. Throws a TypeError or RangeError for values that one of the engines rejects or
 * changes: fractions, integers beyond 2^53, text with U+0000, and everything that is not an SqlValue.
 */
export function toParameters(values: readonly SqlValue[]): Parameter[] {
  return values.filter(value => !(value instanceof SqlFragment)).map(toParameter)
}

/** Converts one value; `index` starts at 0. */
function toParameter(value: SqlValue, index: number): Parameter {
  if (typeof value === 'string') {
    assertNoNul(value, index)
    return value
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`parameter ${index + 1} is not a safe integer`)
    return value
  }
  if (value === null || value instanceof Uint8Array) return value
  if (value instanceof SqlList) {
    for (const item of value.values) assertNoNul(item, index)
    return JSON.stringify(value.values)
  }
  throw new TypeError(`parameter ${index + 1} must be a string, an integer, bytes, a list or null`)
}

function assertNoNul(text: string, index: number): void {
  if (text.includes('\0')) throw new RangeError(`parameter ${index + 1} contains U+0000`)
}

/** `user_id` → `userId`. */
export function toCamelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g

/** Returns true for `SELECT …` and `WITH … SELECT …`. */
export function isReadOnly(text: string): boolean {
  const bare = text.replace(quotedOrComment, ' ')
  if (!/^\s*with\b/i.test(bare)) return /^\s*(select|values)\b/i.test(bare)
  let depth = 0
  for (const [token] of bare.matchAll(/[()]|\w+/g)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (depth === 0 && /^(select|values|insert|update|delete|replace)$/i.test(token)) {
      return /^(select|values)$/i.test(token)
    }
  }
  return false
}
