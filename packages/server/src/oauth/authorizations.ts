import { isScope } from '@gatehouse/protocol/scopes'
import type { Authorization } from '@gatehouse/protocol/users'
import { findApplication, toIconPath } from '../applications/index.ts'
import { notFound } from '../errors/app-error.ts'
import { deleteConsents, listConsents } from './consent-store.ts'
import { revokeGrants } from './grant-revocation-store.ts'
import { isGranted, listIssuedScopes } from './grant-store.ts'
import type { Deps } from './oauth-deps.ts'
import { parseScopes } from './scopes.ts'

export type Authorizations = ReturnType<typeof createAuthorizations>

/** The applications to which a user has given consent. */
export function createAuthorizations({ db, ids }: Pick<Deps, 'db' | 'ids'>) {
  return {
    /** Sorted by the time of the first consent. */
    async list(userId: string): Promise<Authorization[]> {
      const [allConsents, allIssued] = await Promise.all([
        listConsents(db, userId),
        listIssuedScopes(db, userId),
      ])
      const byApplication = Map.groupBy(allConsents, consent => consent.applicationId)
      const authorizations = await Promise.all(
        [...byApplication].map(async ([id, consents]): Promise<Authorization[]> => {
          const application = await findApplication(db, id)
          if (!application) return []
          const { name, iconHash } = application
          const issued = allIssued.filter(one => one.applicationId === id)
          const lastUsedAt = Math.max(
            ...issued.map(one => one.issuedAt),
            ...consents.map(one => one.lastUsedAt),
          )
          const scopes = [
            ...consents.map(({ scope }) => scope),
            // Tokens keep a scope whose consent has ended (sign-in/consent-remembered).
            ...issued.flatMap(({ scope }) => parseScopes(scope)?.user ?? []),
          ]
          return [
            {
              application: { id, name, icon: toIconPath(id, iconHash) },
              scopes: [...new Set(scopes.filter(isScope))],
              grantedAt: new Date(Math.min(...consents.map(one => one.grantedAt))).toISOString(),
              lastUsedAt: new Date(lastUsedAt).toISOString(),
            },
          ]
        }),
      )
      return authorizations.flat()
    },

    /**
     * Deletes the consent, and all codes and tokens (sign-in/withdraw-consent). Throws 404 if there is nothing to
     * delete.
     */
    async revoke(userId: string, applicationId: string): Promise<void> {
      await db.transaction(async tx => {
        if (!(await findApplication(tx, applicationId))) throw notFound()
        // Consents first, as in the transaction that issues a code: it holds their rows until the code is committed.
        const consents = await deleteConsents(tx, userId, applicationId)
        if (consents === 0 && !(await isGranted(tx, userId, applicationId))) throw notFound()
        await revokeGrants(tx, { userId, applicationId }, ids())
      })
    },
  }
}
