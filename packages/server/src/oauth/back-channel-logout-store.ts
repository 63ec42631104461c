import { maxSignInsOfSession, maxSignInsOfUser } from '@gatehouse/protocol/limits'
import { fragment, list, type Sql } from '../storage/database.ts'

/** Does nothing if the row exists, or the session has `maxSignInsOfSession` rows or the user `maxSignInsOfUser`. */
export async function insertSignIn(
  sql: Sql,
  signIn: { sessionId: string; applicationId: string; userId: string },
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_sign_ins (sid, application_id, user_id, session_id)
    SELECT CAST(${signIn.sessionId} AS TEXT), CAST(${signIn.applicationId} AS TEXT), CAST(${signIn.userId} AS TEXT),
      CAST(${signIn.sessionId} AS TEXT)
    WHERE (SELECT COUNT(*) FROM oauth_sign_ins s WHERE s.sid = ${signIn.sessionId}) < ${maxSignInsOfSession}
      AND (SELECT COUNT(*) FROM oauth_sign_ins s WHERE s.user_id = ${signIn.userId}) < ${maxSignInsOfUser}
    ON CONFLICT (sid, application_id) DO NOTHING`
}

/** Until the transaction ends, the session can be changed but not deleted. */
export async function blockSessionDeletion(sql: Sql, sessionId: string): Promise<void> {
  await sql.get`SELECT 1 AS one FROM sessions WHERE id = ${sessionId} FOR KEY SHARE`
}

/** Whether the session exists, and has no row for the application. */
export async function isSignInMissing(sql: Sql, sessionId: string, applicationId: string): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 AS one FROM sessions WHERE id = ${sessionId} AND NOT EXISTS
      (SELECT 1 FROM oauth_sign_ins WHERE sid = ${sessionId} AND application_id = ${applicationId})`
  return row !== undefined
}

/** A session was used to sign in to the application. `uri` is the `backchannelLogoutUri` of the application. */
export interface SignInOfClient {
  sid: string
  applicationId: string
  userId: string
  uri: string | null
}

const columns = fragment`
  sid, application_id, user_id,
  (SELECT a.backchannel_logout_uri FROM applications a WHERE a.id = application_id AND a.deleted_at IS NULL) AS uri`

/** Deletes and returns the sign-ins of a session, so that parallel requests do not return one twice. */
export function deleteSignIns(sql: Sql, sid: string) {
  return sql.all<SignInOfClient>`
    DELETE FROM oauth_sign_ins WHERE sid = ${sid}
    RETURNING ${columns}`
}

/** The same for the sign-ins of a user to the applications. */
export function deleteSignInsOfUser(sql: Sql, userId: string, applicationIds: readonly string[]) {
  return sql.all<SignInOfClient>`
    DELETE FROM oauth_sign_ins WHERE user_id = ${userId} AND application_id IN ${list(applicationIds)}
    RETURNING ${columns}`
}

/** The same for at most `limit` sign-ins of all users. */
export function deleteSignInsOfApplications(sql: Sql, applicationIds: readonly string[], limit: number) {
  return sql.all<SignInOfClient>`
    DELETE FROM oauth_sign_ins WHERE (sid, application_id) IN
      (SELECT s.sid, s.application_id FROM oauth_sign_ins s WHERE s.application_id IN ${list(applicationIds)}
       LIMIT ${limit})
    RETURNING ${columns}`
}

/** Those of all sessions of the user. */
export function listSignIns(sql: Sql, userId: string) {
  return sql.all<SignInOfClient>`
    SELECT s.sid, s.application_id, s.user_id, a.backchannel_logout_uri AS uri
    FROM oauth_sign_ins s JOIN applications a ON a.id = s.application_id AND a.deleted_at IS NULL
    WHERE s.user_id = ${userId} AND s.session_id IS NOT NULL`
}

/** Deletes the sign-ins of expired sessions. Clients are not notified of expiry. */
export async function sweepSignIns(sql: Sql, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_sign_ins WHERE (sid, application_id) IN
      (SELECT sid, application_id FROM oauth_sign_ins WHERE session_id IS NULL LIMIT ${limit})`
}
