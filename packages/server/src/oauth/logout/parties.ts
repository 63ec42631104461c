import { type ApplicationRecord, findApplication } from '../../applications/index.ts'
import type { Transaction } from '../../storage/database.ts'
import { insertSignIn, takeSignIns } from './store.ts'

/** An application that is to be told of the end of a session. */
export interface Party {
  applicationId: string
  /** Its `backchannelLogoutUri`. */
  uri: string
  userId: string
  /** The session that has ended. */
  sid: string
}

/** The `sid` of an id_token: for applications that are told of the session's end alone; others have none (D16). */
export function sidFor(
  client: Pick<ApplicationRecord, 'backchannelLogoutUri'>,
  sessionId: string | null,
): string | undefined {
  return client.backchannelLogoutUri === null ? undefined : (sessionId ?? undefined)
}

/** Remembers the session of a code that is used in this transaction, where the application is told of its end. */
export async function signedInWith(
  tx: Transaction,
  client: Pick<ApplicationRecord, 'backchannelLogoutUri'>,
  code: { sessionId: string | null; applicationId: string; userId: string },
): Promise<void> {
  const { applicationId, userId } = code
  const sessionId = sidFor(client, code.sessionId)
  if (sessionId !== undefined) await insertSignIn(tx, { sessionId, applicationId, userId })
}

/** Whom to tell of the end of a session, in the transaction that ends it; each is answered once. */
export async function partiesOf(tx: Transaction, sid: string): Promise<Party[]> {
  const parties: Party[] = []
  for (const { applicationId, userId } of await takeSignIns(tx, sid)) {
    const uri = (await findApplication(tx, applicationId))?.backchannelLogoutUri
    if (uri) parties.push({ applicationId, uri, userId, sid })
  }
  return parties
}
