import type { Batch, BatchSql, SqlValue } from './database.ts'

/** Calls `work` with a handle that records the statements instead of running them. */
export function recordBatch(work: (sql: BatchSql) => readonly Promise<unknown>[]): Batch {
  const statements: { template: TemplateStringsArray; values: SqlValue[]; method: 'get' | 'run' }[] = []
  // The promises are only counted.
  const record =
    (method: 'get' | 'run') =>
    (template: TemplateStringsArray, ...values: SqlValue[]) => {
      statements.push({ template, values, method })
      return new Promise<never>(() => undefined)
    }
  const promises = work({ get: record('get'), run: record('run') })
  assertOneStatementEach(promises, statements.length)
  return statements
}

export function assertOneStatementEach(promises: readonly Promise<unknown>[], statements: number): void {
  if (promises.length !== statements) {
    throw new TypeError('each promise of a batch must be the result of one statement')
  }
}
