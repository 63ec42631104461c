import { maxKnownDevices } from '@gatehouse/protocol/limits'
import type { Clock } from '../../kit/clock.ts'
import { hashSecret } from '../../kit/secret.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import * as store from './known-device-store.ts'

export type KnownDevices = ReturnType<typeof createKnownDevices>

/**
 * The browsers in which a user has signed in, by the id of the cookie `browser` (`browserOf`). It does not authenticate
 * the user. A known device is exempt from the limit of wrong passwords per account, so that an attacker cannot lock the
 * user out (OWASP, Slow Down Online Guessing Attacks with Device Cookies), and a sign-in there sends no mail
 * (sign-in/known-devices).
 */
export function createKnownDevices({ db, clock }: { db: Database; clock: Clock }) {
  return {
    isKnown: (userId: string, browserId: string) => store.isKnownDevice(db, userId, hashSecret(browserId)),

    /**
     * In the transaction of a sign-in, which has locked the user row. Returns true if the device is new and not the
     * first one: the user has registered on that.
     */
    async remember(tx: Transaction, userId: string, browserId: string): Promise<boolean> {
      const device = { userId, browserHash: hashSecret(browserId) }
      if (await store.updateLastUsed(tx, device, clock())) return false
      const hasOther = await store.hasKnownDevice(tx, userId)
      await store.insertKnownDevice(tx, device, clock())
      await store.deleteLeastRecentlyUsed(tx, userId, maxKnownDevices)
      return hasOther
    },

    forgetAll: store.deleteKnownDevices,
  }
}
