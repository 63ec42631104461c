import { isScope } from '@gatehouse/protocol/scopes'
import type { Authorization } from '@gatehouse/protocol/users'
import { findApplication } from '../applications/index.ts'
import { notFound } from '../kit/app-error.ts'
import { imagePath } from '../platform/images/index.ts'
import type { Database } from '../storage/database.ts'
import { deleteConsents, listConsents } from './consents/store.ts'
import { deleteTokensOf, lastIssues } from './store.ts'

/** What a person allowed which application, the newest last. */
export async function listAuthorizations(db: Database, userId: string): Promise<Authorization[]> {
  const [consents, issues] = await Promise.all([listConsents(db, userId), lastIssues(db, userId)])
  const ofApplication = Map.groupBy(consents, consent => consent.applicationId)
  const all = await Promise.all(
    [...ofApplication].map(async ([id, own]): Promise<Authorization[]> => {
      const application = await findApplication(db, id)
      if (!application) return []
      const used = Math.max(issues.get(id) ?? 0, ...own.map(consent => consent.lastUsedAt))
      const icon =
        application.iconHash === null ? null : imagePath('applications', application.id, application.iconHash)
      return [
        {
          application: { id, name: application.name, icon },
          scopes: own.map(consent => consent.scope).filter(isScope),
          grantedAt: new Date(Math.min(...own.map(consent => consent.grantedAt))).toISOString(),
          lastUsedAt: new Date(used).toISOString(),
        },
      ]
    }),
  )
  return all.flat()
}

/** Forgets the consent and ends every code and token of it (D74). Throws 404 where there is nothing to withdraw. */
export async function withdraw(db: Database, userId: string, applicationId: string): Promise<void> {
  const ended = await db.transaction(async tx => {
    // In the order in which they come about: who is being issued one at this moment is waited for.
    const consents = await deleteConsents(tx, userId, applicationId)
    return consents + (await deleteTokensOf(tx, userId, applicationId))
  })
  if (ended === 0) throw notFound()
}
