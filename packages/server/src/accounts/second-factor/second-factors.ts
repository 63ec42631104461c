import type { RecentProof, SecondFactors } from '@gatehouse/protocol/second-factor'
import { AppError } from '../../errors/app-error.ts'
import { createEnrollment, type SettingsDeps } from './enrollment.ts'
import { createPasskeys, toPasskey } from './passkeys.ts'
import type { ChangeContext } from './proofs.ts'
import * as store from './second-factor-store.ts'
import { createTotp } from './totp.ts'

export type SecondFactorSettings = ReturnType<typeof createSecondFactorSettings>

/** The second factors of the current user. The user gets a mail about each change. */
export function createSecondFactorSettings(deps: SettingsDeps) {
  const { db } = deps
  const enrollment = createEnrollment(deps)

  async function listSecondFactors(userId: string): Promise<SecondFactors> {
    const { totp, recoveryCodes } = await store.countFactors(db, userId)
    const passkeys = await store.listPasskeys(db, userId)
    return { passkeys: passkeys.map(toPasskey), totp, recoveryCodesLeft: recoveryCodes }
  }

  /** Invalidates the previous set. Throws `conflict` if the user has no second factor. */
  async function renewRecoveryCodes(
    session: ChangeContext,
    proof: RecentProof,
  ): Promise<{ recoveryCodes: string[] }> {
    const recoveryCodes = await enrollment.changeWithProof(
      session,
      proof,
      'newRecoveryCodes',
      (tx, { passkeys, totp }) => {
        if (passkeys === 0 && !totp) {
          throw new AppError('conflict', 'Recovery codes require a passkey or an authenticator app.')
        }
        return enrollment.replaceRecoveryCodes(tx, session.userId)
      },
    )
    return { recoveryCodes }
  }

  return {
    listSecondFactors,
    renewRecoveryCodes,
    ...createTotp(deps, enrollment),
    ...createPasskeys(deps, enrollment),
  }
}
