import { type SqlValue, StorageUnavailable } from './database.ts'
import type { RowLists } from './postgres-connection.ts'
import { Conflict } from './postgres-errors.ts'
import { arrayTypes, isOrdered, mergedSelect, toArrays, toRow } from './postgres-merge.ts'
import { type Parameter, toParameters } from './sql-template.ts'

type Row = Record<string, unknown>

interface Lookup {
  values: readonly SqlValue[]
  parameters: readonly Parameter[]
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

interface Senders {
  sendOne: (template: TemplateStringsArray, values: readonly SqlValue[]) => Promise<Row[]>
  sendMerged: (text: string, arrays: string[]) => Promise<RowLists>
}

/** A response with the lists of more lookups would block the event loop for long. */
const maxMerged = { first: 256, all: 16 } as const

/**
 * Merges the lookups of one turn of the event loop that use the same statement: PostgreSQL runs it for each of them in one
 * statement. For speed: a statement costs the server and the node more than the row that it reads.
 */
export class PostgresLookups {
  readonly #senders: Senders
  readonly #pending = new Map<TemplateStringsArray, Lookup[]>()
  /** The merged form, with the types of the parameters as the key. */
  readonly #texts = new WeakMap<TemplateStringsArray, { key: string; text: string }>()
  /** False for statements whose rows have an order, or that PostgreSQL does not accept in the merged form. */
  readonly #mergeable = new WeakMap<TemplateStringsArray, boolean>()

  constructor(senders: Senders) {
    this.#senders = senders
  }

  /** Whether `read` accepts the statement. A null has no type, so it could change the meaning of a merged statement. */
  accepts(template: TemplateStringsArray, values: readonly SqlValue[], limit: 'first' | 'all'): boolean {
    if (values.length === 0 || values.some(value => typeof value !== 'string' && typeof value !== 'number')) {
      return false
    }
    let isMergeable = this.#mergeable.get(template)
    if (isMergeable === undefined) {
      isMergeable = limit === 'first' || !isOrdered(template)
      this.#mergeable.set(template, isMergeable)
    }
    return isMergeable
  }

  /** The first row of each lookup or, in no order, all rows. A statement is always read in the same way. */
  async read(
    template: TemplateStringsArray,
    values: readonly SqlValue[],
    limit: 'first' | 'all',
  ): Promise<Row[]> {
    const parameters = toParameters(values)
    return new Promise((resolve, reject) => {
      const lookup = { values, parameters, resolve, reject }
      const pending = this.#pending.get(template)
      if (pending !== undefined && pending.length < maxMerged[limit]) {
        pending.push(lookup)
        return
      }
      const lookups = [lookup]
      this.#pending.set(template, lookups)
      setImmediate(() => {
        if (this.#pending.get(template) === lookups) this.#pending.delete(template)
        void this.#send(template, lookups, limit)
      })
    })
  }

  async #send(
    template: TemplateStringsArray,
    lookups: readonly Lookup[],
    limit: 'first' | 'all',
  ): Promise<void> {
    if (lookups.length > 1 && (await this.#sendMerged(template, lookups, limit))) return
    for (const { values, resolve, reject } of lookups) {
      this.#senders.sendOne(template, values).then(resolve, reject)
    }
  }

  #textOf(template: TemplateStringsArray, types: readonly string[], limit: 'first' | 'all'): string {
    const key = types.join()
    let merged = this.#texts.get(template)
    if (merged?.key !== key) {
      merged = { key, text: mergedSelect(template, types, { limit }) }
      this.#texts.set(template, merged)
    }
    return merged.text
  }

  /** False if each lookup must be sent on its own, because one of them has failed. */
  async #sendMerged(
    template: TemplateStringsArray,
    lookups: readonly Lookup[],
    limit: 'first' | 'all',
  ): Promise<boolean> {
    const uses = lookups.map(({ parameters }) => parameters)
    const text = this.#textOf(template, arrayTypes(uses), limit)
    try {
      const { columns, rows } = await this.#senders.sendMerged(text, toArrays(uses))
      const found = lookups.map((): Row[] => [])
      for (const row of rows) found[Number(row[0]) - 1]?.push(toRow(columns, row, 1))
      for (const [i, { resolve }] of lookups.entries()) resolve(found[i] ?? [])
      return true
    } catch (error) {
      if (error instanceof StorageUnavailable && !(error instanceof Conflict)) {
        for (const { reject } of lookups) reject(error)
        return true
      }
      if (isUnacceptable(error)) this.#mergeable.set(template, false)
      return false
    }
  }
}

/** Class 42: syntax error or access rule violation. */
function isUnacceptable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('42')
}
