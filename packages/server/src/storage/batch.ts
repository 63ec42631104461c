import type { BatchSql, Database } from './database.ts'

/** Rolls a batch back. */
class IncompleteBatch extends Error {}

/** Runs a `Database.batch` as a transaction. */
export async function runBatch(
  db: Pick<Database, 'transaction'>,
  work: (sql: BatchSql) => readonly Promise<unknown>[],
): Promise<boolean> {
  try {
    await db.transaction(async tx => {
      const results: Promise<unknown>[] = []
      const add = <T>(result: Promise<T>): Promise<T> => {
        results.push(result)
        return result
      }
      const promises = work({
        get: (text, ...values) => add(tx.get(text, ...values)),
        run: (text, ...values) => add(tx.run(text, ...values)),
      })
      await Promise.all(promises)
      if (promises.length !== results.length) {
        throw new TypeError('each promise of a batch must be the result of one statement')
      }
      const found = await Promise.all(results)
      if (found.some(result => result === undefined || result === 0)) throw new IncompleteBatch()
    })
    return true
  } catch (error) {
    if (error instanceof IncompleteBatch) return false
    throw error
  }
}
