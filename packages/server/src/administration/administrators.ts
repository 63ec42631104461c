import type { RecentProof } from '@gatehouse/protocol/second-factor'
import { findUser, type Users } from '../accounts/users/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { SessionCaller } from '../http/caller.ts'
import type { Database, Sql, Transaction } from '../storage/database.ts'

/** An administrator in a session, with the address of the request. */
export type Administrator = SessionCaller & { ip: string }

type Work<T> = (tx: Transaction) => Promise<T>

export type Administrators = ReturnType<typeof createAdministrators>

/**
 * Who administers the instance. Only these functions start a transaction in this folder, so that every act checks the
 * right where it is done: the body of a request may arrive long after `beforeBody` (administration/act).
 */
export function createAdministrators({ db, users }: { db: Database; users: Pick<Users, 'proofs'> }) {
  return {
    /** Of all routes: a 400 would disclose nothing, but who is no administrator gets one response to all requests. */
    beforeBody: ({ caller }: { caller?: { userId: string } | undefined }) =>
      requireAdministrator(db, caller?.userId ?? ''),

    /**
     * An act of an administrator. Their right, account and session do not end before the transaction does. Throws 404
     * for others, and `unauthenticated` if the session has ended or the user is disabled.
     */
    act<T>(administrator: SessionCaller, work: Work<T>): Promise<T> {
      return db.transaction(async tx => {
        await users.proofs.lockSession(tx, administrator)
        await requireAdministrator(tx, administrator.userId)
        return work(tx)
      })
    },

    /**
     * Like `act`, with the proof of the administrator (administration/proof). Throws also `validation_failed` or
     * `rate_limited` for the proof.
     */
    actWithProof<T>(administrator: Administrator, proof: RecentProof, work: Work<T>): Promise<T> {
      return users.proofs.withProof(administrator, proof, async tx => {
        await requireAdministrator(tx, administrator.userId)
        return work(tx)
      })
    },

    /** A command of the operator, who has access to the machine. */
    byOperator: <T>(work: Work<T>): Promise<T> => db.transaction(work),
  }
}

/** Throws 404 for others: they do not learn who administers the instance (administration/administrators). */
async function requireAdministrator(sql: Sql, userId: string): Promise<void> {
  const user = await findUser(sql, userId)
  if (!user?.administrator) throw notFound()
}
