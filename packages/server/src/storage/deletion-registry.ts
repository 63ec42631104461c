import { inBatches } from '../kit/batches.ts'
import type { Database, Sql } from './database.ts'

/** Deletes up to `limit` rows of a parent, and returns their number. */
export type DeleteRows = (sql: Sql, parentId: string, limit: number) => Promise<number>

/** The objects whose deletion deletes rows of other modules, in batches because they can be many. */
type Parent = 'server' | 'channel' | 'role' | 'application'

/** For each parent, what a module deletes of its own tables before the parent's row is deleted. */
export type Deletions = { readonly [P in Parent]?: readonly DeleteRows[] }

export type DeletionRegistry = ReturnType<typeof createDeletionRegistry>

/** The deletions of all modules, so that each module names only its own tables. */
export function createDeletionRegistry() {
  const registered: Deletions[] = []
  return {
    register: (deletions: Deletions) => void registered.push(deletions),
    /** In the order in which the modules registered. */
    of: (parent: Parent): DeleteRows[] => registered.flatMap(deletions => deletions[parent] ?? []),
  }
}

/** Parents with any number of rows (limits/deletion). */
export interface DeletedParents {
  /** Some of those that are marked as deleted. */
  list: (sql: Sql) => Promise<{ id: string }[]>
  /** In this order. The last one deletes the parent, and with it the rows of tables with a cap. */
  deletions: readonly DeleteRows[]
}

/** Deletes the rows of the parents in batches, between which other transactions run. */
export async function sweepDeleted(
  db: Database,
  { list, deletions }: DeletedParents,
  batchSize?: number,
): Promise<void> {
  for (;;) {
    const parents = await list(db)
    if (parents.length === 0) return
    for (const { id } of parents) {
      for (const deleteRows of deletions) await inBatches(limit => deleteRows(db, id, limit), batchSize)
    }
  }
}
