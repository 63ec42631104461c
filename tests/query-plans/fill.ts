import { DatabaseSync } from 'node:sqlite'
import type { Database, TestDatabase } from '@gatehouse/testkit/databases'
import { template } from './plans.ts'

interface Table {
  name: string
  columns: { name: string; type: string }[]
  /** The columns of each unique key. */
  keys: string[][]
}

/** The columns that have distinct values. */
type Distinct = 'all' | 'first column of keys' | 'last column of keys'

/**
 * Fills every table with 2,000 rows and updates the statistics of the planner. If only the first or the last
 * column of each unique key has distinct values, 77 % of the rows have the value 1 in the others, as if they
 * belonged to one channel, server or application.
 */
export async function fillTables(
  { db, url }: Pick<TestDatabase, 'db' | 'url'>,
  distinct: Distinct,
): Promise<void> {
  // Without statistics, SQLite plans from the schema.
  if (db.engine === 'sqlite' && distinct === 'all') return
  const tables = await listTables(db)
  const inserts = tables.map(table => toInsert(table, distinct))
  if (db.engine === 'sqlite') {
    // Another connection, which does not enforce foreign keys.
    const unchecked = new DatabaseSync(url.replace(/^sqlite:/, ''), { enableForeignKeyConstraints: false })
    unchecked.exec(`BEGIN; ${inserts.join(';')}; COMMIT; ANALYZE`)
    unchecked.close()
    // Reads the statistics.
    await db.run`ANALYZE sqlite_schema`
    return
  }
  await db.transaction(async tx => {
    await tx.run`SET LOCAL session_replication_role = replica`
    // Autovacuum would change the statistics while the test reads plans.
    for (const { name } of tables)
      await tx.run(template(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`, ['']))
    for (const insert of inserts) await tx.run(template(insert, ['']))
  })
  await db.run`ANALYZE`
}

function toInsert({ name, columns, keys }: Table, distinct: Distinct): string {
  const distinctColumns = new Set(keys.map(key => key.at(distinct === 'first column of keys' ? 0 : -1)))
  const values = columns.map(column => {
    if (/BYTEA|BLOB/i.test(column.type)) return `CAST('' AS ${column.type})`
    const isDistinct = distinct === 'all' || distinctColumns.has(column.name)
    const value = isDistinct ? 'i' : 'CASE WHEN i % 100 < 77 THEN 1 ELSE i END'
    return `CAST(${value} AS ${column.type})`
  })
  return `INSERT INTO ${name} (${columns.map(column => `"${column.name}"`).join(', ')})
    WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
    SELECT ${values.join(', ')} FROM n WHERE true ON CONFLICT DO NOTHING`
}

export async function listTables(db: Database): Promise<Table[]> {
  type Row = { name: string; columns: string; keys: string | null }
  const sqlite = () => db.all<Row>`
    SELECT t.name,
      (SELECT json_group_array(json_object('name', name, 'type', type)) FROM pragma_table_info(t.name)) AS columns,
      (SELECT json_group_array(json((SELECT json_group_array(i.name) FROM pragma_index_info(l.name) i)))
       FROM pragma_index_list(t.name) l WHERE l."unique" = 1) AS keys
    FROM sqlite_schema t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
  const postgres = () => db.all<Row>`
    SELECT c.table_name::text AS name,
      json_agg(json_build_object('name', column_name, 'type', data_type) ORDER BY ordinal_position)::text AS columns,
      (SELECT json_agg((SELECT json_agg(a.attname ORDER BY k.place)
         FROM unnest(i.indkey::int[]) WITH ORDINALITY k(number, place)
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number))::text
       FROM pg_index i WHERE i.indisunique AND i.indrelid = c.table_name::regclass) AS keys
    FROM information_schema.columns c
    WHERE c.table_schema = current_schema() AND c.table_name IN (SELECT tablename FROM pg_tables) GROUP BY c.table_name`
  const rows = await (db.engine === 'sqlite' ? sqlite() : postgres())
  return rows.map(row => ({ ...row, columns: JSON.parse(row.columns), keys: JSON.parse(row.keys ?? '[]') }))
}
