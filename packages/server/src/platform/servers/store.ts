import type { Sql } from '../../storage/database.ts'
import type { ServerRecord } from '../permissions/index.ts'

interface ServerRow {
  id: string
  name: string
  icon: string | null
  owner_id: string
}

export async function insertServer(sql: Sql, server: ServerRecord, now: number): Promise<void> {
  await sql.run`
    INSERT INTO servers (id, name, icon, owner_id, created_at)
    VALUES (${server.id}, ${server.name}, ${server.icon}, ${server.ownerId}, ${now})`
}

export async function findServer(sql: Sql, id: string): Promise<ServerRecord | undefined> {
  const row = await sql.get<ServerRow>`SELECT id, name, icon, owner_id FROM servers WHERE id = ${id}`
  return row && { id: row.id, name: row.name, icon: row.icon, ownerId: row.owner_id }
}

export async function setName(sql: Sql, id: string, name: string): Promise<void> {
  await sql.run`UPDATE servers SET name = ${name} WHERE id = ${id}`
}

export async function setIcon(sql: Sql, id: string, hash: string | null): Promise<void> {
  await sql.run`UPDATE servers SET icon = ${hash} WHERE id = ${id}`
}

/** All that belongs to it goes with it. */
export async function deleteServer(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM servers WHERE id = ${id}`
}
