import { SqlList, type SqlValue } from './database.ts'

/** A value as the engines take it; a list has become one JSON text. */
export type Parameter = string | number | null | Uint8Array

export type TextOf = (template: TemplateStringsArray, isList: readonly boolean[]) => string

/** What a template is on one engine. Built at its first use, kept as long as the template lives. */
interface Statement {
  text: string
  isList: readonly boolean[]
}

/** A statement without values, to be handed to a connection. */
export function sql(template: TemplateStringsArray): TemplateStringsArray {
  return template
}

/** The texts of one engine, by the identity of the template. */
export class Texts {
  readonly #textOf: TextOf
  readonly #statements = new WeakMap<TemplateStringsArray, Statement>()

  constructor(textOf: TextOf) {
    this.#textOf = textOf
  }

  /** Throws where a list stands in the place of a value or the other way round: the text is fixed by the first use. */
  text(template: TemplateStringsArray, values: readonly SqlValue[]): string {
    let statement = this.#statements.get(template)
    if (statement === undefined) {
      const isList = values.map(value => value instanceof SqlList)
      statement = { text: this.#textOf(template, isList), isList }
      this.#statements.set(template, statement)
    }
    for (let i = 0; i < values.length; i++) {
      if (statement.isList[i] !== values[i] instanceof SqlList) {
        throw new TypeError(
          `parameter ${i + 1} is a list in one use of this statement and a value in another`,
        )
      }
    }
    return statement.text
  }
}

/** Builds the text, with `parameter(n)` for value n (from 1) and `listParameter(n)` for list n. */
export function build(
  template: TemplateStringsArray,
  isList: readonly boolean[],
  parameter: (n: number) => string,
  listParameter: (n: number) => string,
): string {
  return template.reduce((text, part, n) => text + (isList[n - 1] ? listParameter(n) : parameter(n)) + part)
}

/**
 * What both engines take and give back unchanged. Refused with a TypeError or RangeError, because one of the engines
 * would refuse or change it: fractions and integers beyond 2^53, U+0000, anything that is no SqlValue.
 */
export function parameters(values: readonly SqlValue[]): Parameter[] {
  return values.map(toParameter)
}

/** One of `parameters`; `index` from 0. */
export function toParameter(value: SqlValue, index: number): Parameter {
  if (typeof value === 'string') {
    refuseNul(value, index)
    return value
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`parameter ${index + 1} is not a safe integer`)
    return value
  }
  if (value === null || value instanceof Uint8Array) return value
  if (value instanceof SqlList) {
    for (const item of value.values) refuseNul(item, index)
    return JSON.stringify(value.values)
  }
  throw new TypeError(`parameter ${index + 1} is neither text, integer, bytes, list nor null`)
}

function refuseNul(text: string, index: number): void {
  if (text.includes('\0')) throw new RangeError(`parameter ${index + 1} contains U+0000`)
}

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g

/** True for `SELECT …` and `WITH … SELECT …`: what cannot change anything. */
export function isRead(text: string): boolean {
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
