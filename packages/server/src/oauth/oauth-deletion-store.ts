import type { DeleteRows, Deletions } from '../storage/deletion-registry.ts'
import { deleteFailuresOfApplication } from './sign-in-failure-store.ts'

const deleteUsedRefreshTokens: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM oauth_used_refresh_tokens WHERE (grant_id, hash) IN
      (SELECT u.grant_id, u.hash FROM oauth_grants g JOIN oauth_used_refresh_tokens u ON u.grant_id = g.id
       WHERE g.application_id = ${applicationId} LIMIT ${limit})`

const deleteGrants: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM oauth_grants WHERE id IN
      (SELECT g.id FROM oauth_grants g WHERE g.application_id = ${applicationId} LIMIT ${limit})`

const deleteConsents: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM oauth_consents WHERE (user_id, application_id, scope) IN
      (SELECT c.user_id, c.application_id, c.scope FROM oauth_consents c
       WHERE c.application_id = ${applicationId} LIMIT ${limit})`

const deleteSignIns: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM oauth_sign_ins WHERE (sid, application_id) IN
      (SELECT s.sid, s.application_id FROM oauth_sign_ins s WHERE s.application_id = ${applicationId} LIMIT ${limit})`

/** Of applications that are deleted (limits/deletion). */
export const deletions: Deletions = {
  application: [
    deleteUsedRefreshTokens,
    deleteGrants,
    deleteConsents,
    deleteSignIns,
    deleteFailuresOfApplication,
  ],
}
