import type { Sql } from '../../storage/database.ts'

/** Does nothing where it stands there already. */
export async function insertSignIn(
  sql: Sql,
  signIn: { sessionId: string; applicationId: string; userId: string },
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_sign_ins (sid, application_id, user_id, session_id)
    VALUES (${signIn.sessionId}, ${signIn.applicationId}, ${signIn.userId}, ${signIn.sessionId})
    ON CONFLICT (sid, application_id) DO NOTHING`
}

/** The sign-ins of a session, each given out once. */
export async function takeSignIns(
  sql: Sql,
  sid: string,
): Promise<{ applicationId: string; userId: string }[]> {
  const rows = await sql.all<{ application_id: string; user_id: string }>`
    DELETE FROM oauth_sign_ins WHERE sid = ${sid} RETURNING application_id, user_id`
  return rows.map(row => ({ applicationId: row.application_id, userId: row.user_id }))
}

/** Those of sessions that expired: nobody signed out. */
export async function sweepSignIns(sql: Sql, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_sign_ins WHERE (sid, application_id) IN
      (SELECT sid, application_id FROM oauth_sign_ins WHERE session_id IS NULL LIMIT ${limit})`
}
