import { type Database, list, type SqlValue } from '@gatehouse/testkit/databases'
import type { Statement } from './statements.ts'

/** A line or node of a query plan that reads a table. */
export interface Step {
  table: string
  /** Undefined if no index is used. */
  index: string | undefined
  /** It reads the whole table or index. */
  isFullScan: boolean
  plan: string
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

/** Explains how a statement reads tables. Does not run the statement. */
export function explain(db: Database, { parts }: Statement): Promise<Step[]> {
  return db.engine === 'sqlite' ? explainSqlite(db, parts) : explainPostgres(db, parts)
}

async function explainSqlite(db: Database, parts: readonly string[]): Promise<Step[]> {
  const explained = template('EXPLAIN QUERY PLAN ', parts)
  const rows = await db.all<{ detail: string }>(explained, ...makeParameters(parts))
  return rows.flatMap(({ detail }) => {
    const [, type, table, index] = /^(SCAN|SEARCH) (\w+)(?:.* INDEX (\w+))?/.exec(detail) ?? []
    if (table === undefined) return []
    return [{ table: resolveAlias(parts, table), index, isFullScan: type === 'SCAN', plan: detail }]
  })
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

async function explainPostgres(db: Database, parts: readonly string[]): Promise<Step[]> {
  const explained = template('EXPLAIN (FORMAT JSON) ', parts)
  const rows = await db.transaction(async tx => {
    // The tables are so small that PostgreSQL would choose sequential scans although an index exists.
    await tx.run`SET LOCAL enable_seqscan = off`
    await tx.run`SET LOCAL enable_hashjoin = off`
    await tx.run`SET LOCAL enable_mergejoin = off`
    return tx.all<{ 'QUERY PLAN': [{ Plan: Node }] }>(explained, ...makeParameters(parts))
  })
  return rows.flatMap(row => listSteps(row['QUERY PLAN'][0].Plan, ''))
}

/** The index scan of a bitmap has no table: it is that of its parent. */
function listSteps(node: Node, parentTable: string): Step[] {
  const { 'Node Type': type, 'Relation Name': table = parentTable, 'Index Name': index } = node
  const isIndexScan = /^(Bitmap )?Index (Only )?Scan$/.test(type)
  const isFullScan = type === 'Seq Scan' || (isIndexScan && node['Index Cond'] === undefined)
  const plan = [type, index, node.Filter].filter(Boolean).join(', ')
  const children = (node.Plans ?? []).flatMap(child => listSteps(child, table))
  return [{ table, index, isFullScan, plan }, ...children]
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
