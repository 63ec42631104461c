import type { Clock } from '../kit/clock.ts'
import { DecryptionError, type Sealer } from '../kit/seal.ts'

export const doctorHeader = 'x-gatehouse-doctor'
const context = 'doctor'
const validMs = 60_000

/** Proves to the running service that `gatehouse doctor` has its secret key. Valid for a minute. */
export function createDoctorToken(sealer: Sealer, clock: Clock): string {
  return sealer.seal(String(clock()), context)
}

export function isDoctorToken(sealer: Sealer, clock: Clock, token: string): boolean {
  try {
    return Math.abs(clock() - Number(sealer.open(token, context))) < validMs
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}
