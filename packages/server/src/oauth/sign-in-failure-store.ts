import type { SignInFailure } from '@gatehouse/protocol/oauth'
import { list, type Sql } from '../storage/database.ts'
import type { DeleteRows } from '../storage/deletion-registry.ts'

/** The check that failed, and how often. */
export interface Failure extends Pick<SignInFailure, 'endpoint' | 'error' | 'reason' | 'count'> {
  /** When it failed last, in milliseconds. */
  lastAt: number
}

export interface FailureRecord extends Failure {
  id: string
  createdAt: number
}

/** Of these ids, those of applications. */
export async function listExisting(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ id: string; deletedAt: number | null }>`
    SELECT id, deleted_at FROM applications WHERE id IN ${list(ids)}`
  return rows.flatMap(({ id, deletedAt }) => (deletedAt === null ? id : []))
}

/** Adds to the newest entry of the same failure since `since`. Returns false if there is none. */
export async function addToFailure(
  sql: Sql,
  applicationId: string,
  { endpoint, error, reason, count, lastAt }: Failure,
  since: number,
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE sign_in_failures SET count = count + ${count}, last_at = ${lastAt}
    WHERE application_id = ${applicationId} AND id = (
      SELECT f.id FROM sign_in_failures f
      WHERE f.application_id = ${applicationId} AND f.endpoint = ${endpoint} AND f.error = ${error}
        AND f.reason = ${reason} AND f.created_at > ${since}
      ORDER BY f.id DESC LIMIT 1)`
  return changed > 0
}

/** Rejects with ReferenceViolation if the application does not exist. */
export async function insertFailure(sql: Sql, applicationId: string, failure: FailureRecord): Promise<void> {
  await sql.run`
    INSERT INTO sign_in_failures (application_id, id, endpoint, error, reason, count, created_at, last_at)
    VALUES (${applicationId}, ${failure.id}, ${failure.endpoint}, ${failure.error}, ${failure.reason},
      ${failure.count}, ${failure.createdAt}, ${failure.lastAt})`
}

/** The one that occurred last comes first. An application has few more than are kept. */
export async function listFailures(sql: Sql, applicationId: string, limit: number): Promise<FailureRecord[]> {
  const failures = await sql.all<FailureRecord>`
    SELECT id, endpoint, error, reason, count, created_at, last_at FROM sign_in_failures
    WHERE application_id = ${applicationId} ORDER BY id DESC`
  return failures.toSorted((a, b) => b.lastAt - a.lastAt).slice(0, limit)
}

/** Deletes all entries of the application except those that occurred last. */
export async function deleteOldFailures(sql: Sql, applicationId: string, keep: number): Promise<void> {
  await sql.run`
    DELETE FROM sign_in_failures WHERE application_id = ${applicationId} AND id IN (
      SELECT f.id FROM sign_in_failures f WHERE f.application_id = ${applicationId}
      ORDER BY f.last_at DESC, f.id DESC LIMIT 1000 OFFSET ${keep})`
}

/** Deletes up to `limit` entries that last occurred before `time`, and returns their number. */
export function deleteFailuresBefore(sql: Sql, time: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM sign_in_failures WHERE (application_id, id) IN
      (SELECT f.application_id, f.id FROM sign_in_failures f WHERE f.last_at < ${time}
       ORDER BY f.last_at LIMIT ${limit})`
}

/** Of an application that is deleted (limits/deletion). */
export const deleteFailuresOfApplication: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM sign_in_failures WHERE (application_id, id) IN
      (SELECT f.application_id, f.id FROM sign_in_failures f
       WHERE f.application_id = ${applicationId} LIMIT ${limit})`
