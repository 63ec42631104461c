import type { Sql } from '../storage/database.ts'
import type { DeleteRows } from '../storage/deletion-registry.ts'

/** An application that was added to a server. */
export interface IntegrationRecord {
  serverId: string
  applicationId: string
  /** `bot`, `applications.commands` or both, separated by a space. */
  scopes: string
  permissions: bigint
  roleId: string | null
  addedBy: string
  addedAt: number
}

interface Row extends Omit<IntegrationRecord, 'permissions'> {
  permissions: string
}

function toRecord(row: Row): IntegrationRecord {
  return { ...row, permissions: BigInt(row.permissions) }
}

export async function upsertIntegration(sql: Sql, integration: IntegrationRecord): Promise<void> {
  await sql.run`
    INSERT INTO integrations (server_id, application_id, scopes, permissions, role_id, added_by, added_at)
    VALUES (${integration.serverId}, ${integration.applicationId}, ${integration.scopes},
      ${integration.permissions.toString()}, ${integration.roleId}, ${integration.addedBy}, ${integration.addedAt})
    ON CONFLICT (server_id, application_id) DO UPDATE SET scopes = excluded.scopes,
      permissions = excluded.permissions, role_id = excluded.role_id, added_by = excluded.added_by,
      added_at = excluded.added_at`
}

export async function findIntegration(
  sql: Sql,
  serverId: string,
  applicationId: string,
): Promise<IntegrationRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT server_id, application_id, scopes, permissions, role_id, added_by, added_at
    FROM integrations WHERE server_id = ${serverId} AND application_id = ${applicationId}
      AND NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = server_id AND s.deleted_at IS NOT NULL)`
  return row && toRecord(row)
}

export async function listIntegrations(sql: Sql, serverId: string): Promise<IntegrationRecord[]> {
  const rows = await sql.all<Row>`
    SELECT server_id, application_id, scopes, permissions, role_id, added_by, added_at
    FROM integrations WHERE server_id = ${serverId} ORDER BY application_id`
  return rows.map(toRecord)
}

export async function listServersOfApplication(sql: Sql, applicationId: string): Promise<string[]> {
  const rows = await sql.all<{ serverId: string }>`
    SELECT server_id FROM integrations WHERE application_id = ${applicationId} ORDER BY server_id`
  return rows.map(row => row.serverId)
}

export async function deleteIntegration(sql: Sql, serverId: string, applicationId: string): Promise<boolean> {
  const changed = await sql.run`
    DELETE FROM integrations WHERE server_id = ${serverId} AND application_id = ${applicationId}`
  return changed === 1
}

/** Of a server that is deleted (limits/deletion). */
export const deleteIntegrationsOfServer: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM integrations WHERE (server_id, application_id) IN
      (SELECT i.server_id, i.application_id FROM integrations i WHERE i.server_id = ${serverId} LIMIT ${limit})`
