import type { Column, ColumnDescription, Side, Table } from './side.ts'

/** The types of `storage/database.ts`. */
const kinds: Readonly<Record<string, Column['kind']>> = {
  text: 'text',
  bigint: 'integer',
  smallint: 'integer',
  bytea: 'bytes',
}

/**
 * The tables as the schema of the database has them, except those of `without`. A table comes after those that its
 * foreign keys reference.
 */
export async function listTables(side: Side, without: readonly string[]): Promise<Table[]> {
  const columns = (await side.describeColumns()).filter(({ table }) => !without.includes(table))
  const tables = Map.groupBy(columns, ({ table }) => table)
    .entries()
    .map(([name, described]) => toTable(name, described))
  return inReferenceOrder([...tables], await side.listReferences())
}

function toTable(name: string, columns: readonly ColumnDescription[]): Table {
  const key = columns
    .map(({ keyPlace }, place) => ({ keyPlace, place }))
    .filter(({ keyPlace }) => keyPlace > 0)
    .toSorted((a, b) => a.keyPlace - b.keyPlace)
  if (key.length === 0) throw new Error(`the table ${name} has no primary key, so it cannot be copied`)
  return {
    name,
    columns: columns.map(({ column, type }) => {
      const kind = kinds[type.toLowerCase()]
      if (kind === undefined)
        throw new Error(`the column ${column} of ${name} has the type ${type}, which cannot be copied`)
      return { name: column, kind }
    }),
    key: key.map(({ place }) => place),
  }
}

function inReferenceOrder(
  tables: readonly Table[],
  references: readonly (readonly [string, string])[],
): Table[] {
  const ordered: Table[] = []
  let rest = tables
  while (rest.length > 0) {
    const names = new Set(rest.map(({ name }) => name))
    const isReady = ({ name }: Table) =>
      !references.some(([from, to]) => from === name && to !== name && names.has(to))
    const ready = rest.filter(isReady)
    if (ready.length === 0) throw new Error(`the foreign keys of ${[...names].join(', ')} form a cycle`)
    ordered.push(...ready)
    rest = rest.filter(table => !ready.includes(table))
  }
  return ordered
}
