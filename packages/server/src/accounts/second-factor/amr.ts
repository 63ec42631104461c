// Authentication method references (RFC 8176).

/** A TOTP or recovery code after the password. */
export const codeAmr = ['otp', 'mfa'] as const

/**
 * A passkey after the password. `swk`: a key that is synchronized between devices. `hwk`: a key bound to one device.
 */
export function passkeyAmr({ synced }: { synced: boolean }): string[] {
  return [synced ? 'swk' : 'hwk', 'mfa']
}

/** A passkey without a password: the key is the first factor, user verification by the authenticator is the second. */
export function passwordlessAmr({ synced }: { synced: boolean }): string[] {
  return [synced ? 'swk' : 'hwk', 'user', 'mfa']
}

export function isMultiFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa')
}
