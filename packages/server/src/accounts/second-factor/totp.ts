import { recentProofSeconds } from '@gatehouse/protocol/limits'
import type { RecentProof, TotpSetUp } from '@gatehouse/protocol/second-factor'
import { AppError, invalid } from '../../errors/app-error.ts'
import { canOpen, type Sealer } from '../../kit/seal.ts'
import { codeAmr } from './amr.ts'
import type { Enrollment, SettingsDeps } from './enrollment.ts'
import type { ChangeContext } from './proofs.ts'
import * as store from './second-factor-store.ts'
import { createCodeLimit, InvalidFactorError } from './wrong-codes.ts'

/** The parameters that every authenticator app supports (RFC 6238): SHA-1, six digits, steps of 30 seconds. */
const period = 30
const digits = 6

// Imported at the first use, because loading them delays the start.
const otp = () => import('otplib')
const qr = () => import('uqr')

/** 160 random bits in base32. */
export async function generateTotpSecret(): Promise<string> {
  return (await otp()).generateSecret({ length: 20 })
}

/** The key URI in the format of Google Authenticator, as text and as a QR code in SVG. */
export async function describeTotp(
  secret: string,
  { issuer, username }: { issuer: string; username: string },
): Promise<{ uri: string; qr: string }> {
  const uri = (await otp()).generateURI({ issuer, label: username, secret, digits, period })
  const { renderSVG } = await qr()
  // Fixed colours: scanners need dark modules on a light background with a border, also on a page with a dark theme.
  return { uri, qr: renderSVG(uri, { ecc: 'M', border: 4, whiteColor: '#ffffff', blackColor: '#000000' }) }
}

/**
 * The time step that `code` belongs to: the current one, the one before or the one after (RFC 6238 §5.2). Undefined for
 * a wrong code. `now` is in milliseconds.
 */
export async function verifyTotp(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!isTotpCode(code)) return undefined
  const { verify } = await otp()
  const epoch = Math.floor(now / 1000)
  const result = await verify({ secret, token: code, epoch, epochTolerance: period, period, digits })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Like `verifyTotp`. After SECRET_KEY was lost, the stored secret cannot be read, and every code is wrong. */
export async function verifySealedTotp(
  sealer: Sealer,
  { userId, sealed }: { userId: string; sealed: string },
  code: string,
  now: number,
): Promise<number | undefined> {
  if (!canOpen(sealer, sealed, sealContext(userId))) return undefined
  return verifyTotp(sealer.open(sealed, sealContext(userId)), code, now)
}

/** Tells a TOTP code from a recovery code. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code)
}

/** The context binds the sealed secret to the user: `open` fails with the context of another user. */
function sealContext(userId: string): string {
  return `second-factor:${userId}:totp`
}

export function createTotp(
  { db, clock, sealer, baseUrl, rateLimiter, proofs }: SettingsDeps,
  enrollment: Enrollment,
) {
  const limitCodes = createCodeLimit(rateLimiter)

  /**
   * Creates a secret that `confirmTotp` must confirm in this session, as long as the proof is recent. Throws
   * `email_not_verified`, or `conflict` if TOTP is already set up.
   */
  async function startTotp(session: ChangeContext, proof: RecentProof): Promise<TotpSetUp> {
    const { id, username } = await enrollment.requireVerifiedUser(db, session.userId)
    const secret = await generateTotpSecret()
    const issuer = `Gatehouse (${new URL(baseUrl).host})`
    const described = await describeTotp(secret, { issuer, username })
    const pending = { sealed: sealer.seal(secret, sealContext(id)), sessionId: session.sessionId }
    await proofs.withProof(session, proof, async tx => {
      if (await store.upsertPendingTotp(tx, id, pending, clock())) return
      throw new AppError('conflict', 'An authenticator app is already set up. Remove it first.')
    })
    return { secret, ...described }
  }

  /**
   * Needs no proof: `startTotp` had one in this session. Throws `validation_failed` at `code`, `conflict` if there is
   * nothing to confirm, or `rate_limited` (limits/rates).
   */
  async function confirmTotp(session: ChangeContext, code: string): Promise<{ recoveryCodes: string[] }> {
    const { userId, sessionId } = session
    const totp = await store.findTotp(db, userId)
    const isPending = totp?.confirmed === false && totp.sessionId === sessionId
    if (!isPending || clock() - totp.createdAt >= recentProofSeconds * 1000) throw nothingToConfirm()
    const { sealed } = totp
    try {
      const recoveryCodes = await limitCodes(userId, async () => {
        const step = await verifySealedTotp(sealer, { userId, sealed }, code.replace(/\s/g, ''), clock())
        if (step === undefined) throw new InvalidFactorError('code')
        return enrollment.addFactor(session, 'appAdded', codeAmr, async tx => {
          if (!(await store.confirmTotp(tx, userId, { sealed, step, now: clock() }))) throw nothingToConfirm()
        })
      })
      return { recoveryCodes }
    } catch (error) {
      if (!(error instanceof InvalidFactorError)) throw error
      throw invalid('code', 'wrong_code', 'is not the current code of the app')
    }
  }

  /** Throws `not_found` if TOTP is not set up. */
  async function removeTotp(session: ChangeContext, proof: RecentProof): Promise<void> {
    await enrollment.removeFactor(session, proof, 'appRemoved', tx => store.deleteTotp(tx, session.userId))
  }

  return { startTotp, confirmTotp, removeTotp }
}

function nothingToConfirm(): AppError {
  return new AppError('conflict', 'There is no new authenticator app to confirm. Start again.')
}
