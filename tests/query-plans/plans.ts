import { type Database, list, type SqlValue } from '@gatehouse/testkit/databases'
import type { Statement } from './statements.ts'

/** A full scan of a table or an index. */
export interface Scan {
  place: string
  table: string
  /** Undefined if no index is used. */
  index: string | undefined
  /** The line of the query plan. */
  plan: string
}

/**
 * Fills every table of a temporary database with 500 rows of distinct values, because the planner of PostgreSQL
 * uses statistics. It also drops the foreign keys. SQLite needs no rows: it plans from the schema.
 */
export async function fillTables(db: Database): Promise<void> {
  if (db.engine === 'sqlite') return
  await db.run`
    DO $$
    DECLARE t record;
    BEGIN
      FOR t IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
      LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', t.name, t.conname);
      END LOOP;
      FOR t IN SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns,
          string_agg(CASE data_type WHEN 'text' THEN quote_literal(column_name) || ' || i'
            WHEN 'bytea' THEN quote_literal('') || '::bytea' ELSE 'i' END, ', ') AS texts
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name IN (SELECT tablename FROM pg_tables) GROUP BY table_name
      LOOP
        -- Autovacuum would change the statistics while the test reads plans.
        EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = off)', t.name);
        EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM generate_series(1, 500) AS i ON CONFLICT DO NOTHING',
          t.name, t.columns, t.texts);
      END LOOP;
    END $$`
  await db.run`ANALYZE`
}

/** Lists the tables. A scan of anything else (a subquery, a value list) is acceptable. */
export async function listTables(db: Database): Promise<string[]> {
  const rows =
    db.engine === 'sqlite'
      ? await db.all<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
      : await db.all<{
          name: string
        }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
  return rows.map(({ name }) => name)
}

/** SQLite only. Lists foreign keys without an index on their columns, as `child (columns) of parent`. */
export async function listKeysWithoutIndex(db: Database): Promise<{ key: string; parent: string }[]> {
  return db.all<{ key: string; parent: string }>`
    SELECT k.child || ' (' || k.columns || ') of ' || k.parent AS key, k.parent FROM
      (SELECT t.name AS child, f."table" AS parent, group_concat(f."from", ', ') AS columns
       FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table' GROUP BY t.name, f.id) k
    WHERE NOT EXISTS
      (SELECT 1 FROM pragma_index_list(k.child) l JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
       WHERE (l.partial = 0 OR s.sql LIKE '% WHERE ' || k.columns || ' IS NOT NULL') AND
        (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) i) || ',' LIKE k.columns || ',%')`
}

/** Finds full scans in the query plan of a statement. Does not run the statement. */
export async function findScans(db: Database, statement: Statement): Promise<Scan[]> {
  const found =
    db.engine === 'sqlite' ? await findSqliteScans(db, statement) : await findPostgresScans(db, statement)
  return found.map(scan => ({ place: statement.place, ...scan }))
}

type Found = Omit<Scan, 'place'>

async function findSqliteScans(db: Database, { parts }: Statement): Promise<Found[]> {
  return (await explainSqlite(db, parts)).flatMap(detail => {
    const [, table, index] = /^SCAN (\w+)(?:.* INDEX (\w+))?/.exec(detail) ?? []
    return table === undefined ? [] : [{ table: resolveAlias(parts, table), index, plan: detail }]
  })
}

/** The lines of the query plan. */
async function explainSqlite(db: Database, parts: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ detail: string }>(
    template('EXPLAIN QUERY PLAN ', parts),
    ...makeParameters(parts),
  )
  return rows.map(({ detail }) => detail)
}

/** A node of EXPLAIN (FORMAT JSON), only the fields that are used. */
interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Node[]
}

async function findPostgresScans(db: Database, { parts }: Statement): Promise<Found[]> {
  const plan = await explainPostgres(db, parts)
  return plan === undefined ? [] : collectScans(plan, '')
}

async function explainPostgres(db: Database, parts: readonly string[]): Promise<Node | undefined> {
  const [row] = await db.transaction(async tx => {
    // The tables are so small that PostgreSQL would choose sequential scans although an index exists.
    await tx.run`SET LOCAL enable_seqscan = off`
    await tx.run`SET LOCAL enable_hashjoin = off`
    await tx.run`SET LOCAL enable_mergejoin = off`
    return tx.all<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      template('EXPLAIN (FORMAT JSON) ', parts),
      ...makeParameters(parts),
    )
  })
  return row?.['QUERY PLAN'][0].Plan
}

function collectScans(node: Node, parentTable: string): Found[] {
  const table = node['Relation Name'] ?? parentTable
  const type = node['Node Type']
  const childScans = (node.Plans ?? []).flatMap(child => collectScans(child, table))
  const isFullScan =
    type === 'Seq Scan' || (/^(Bitmap )?Index (Only )?Scan$/.test(type) && node['Index Cond'] === undefined)
  const index = node['Index Name']
  const plan = [type, index, node.Filter].filter(Boolean).join(', ')
  return isFullScan ? [{ table, index, plan }, ...childScans] : childScans
}

/** The indexes of a table that the query plan of a statement uses. Does not run the statement. */
export async function findIndexes(db: Database, { parts }: Statement, table: string): Promise<Set<string>> {
  const found =
    db.engine === 'sqlite'
      ? (await explainSqlite(db, parts)).map(detail => {
          const [, name = '', index] = /^\w+ (\w+) .*INDEX (\w+)/.exec(detail) ?? []
          return { table: resolveAlias(parts, name), index }
        })
      : collectIndexes(await explainPostgres(db, parts), '')
  return new Set(
    found.flatMap(({ table: of, index }) => (of === table && index !== undefined ? [index] : [])),
  )
}

function collectIndexes(
  node: Node | undefined,
  parentTable: string,
): { table: string; index?: string | undefined }[] {
  const table = node?.['Relation Name'] ?? parentTable
  const children = (node?.Plans ?? []).flatMap(child => collectIndexes(child, table))
  return [{ table, index: node?.['Index Name'] }, ...children]
}

/** The storage port accepts only template literals. This builds one with `prefix` before its text. */
export function template(prefix: string, [first = '', ...rest]: readonly string[]): TemplateStringsArray {
  const texts = [prefix + first, ...rest]
  return Object.assign(texts, { raw: texts })
}

/**
 * A non-null value for each parameter, because the planner simplifies comparisons with NULL. Ranges are not empty: they
 * begin at 0 and end at 9.
 */
function makeParameters(parts: readonly string[]): SqlValue[] {
  return parts.slice(0, -1).map((before, i) => {
    if (/\bIN\s*$/i.test(before)) return list(['1'])
    // A comparison, also of the second member of a row: `id < ?`, `(channel_id, id) < (?, ?)`.
    const [, direction] = /([<>])=?\s*(?:\(\?,\s*)?$/.exec(`${i > 0 ? '?' : ''}${before}`) ?? []
    return direction === undefined ? '1' : direction === '>' ? '0' : '9'
  })
}

/** SQLite plans contain the alias of a table. Returns the table name. */
function resolveAlias(parts: readonly string[], alias: string): string {
  const match = new RegExp(`\\b(?:FROM|JOIN|,)\\s+(\\w+)\\s+(?:AS\\s+)?${alias}\\b`).exec(parts.join('?'))
  return match?.[1] ?? alias
}
