/** Words of RFC 8176 for what a person proved. */
export const codeMethods = ['otp', 'mfa'] as const

/** After the password: a key that stays in its device, or one that is copied between those of its owner. */
export function passkeyMethods({ synced }: { synced: boolean }): string[] {
  return [synced ? 'swk' : 'hwk', 'mfa']
}

/** Without a password: having the key is one factor, the authenticator's own check of the person the other. */
export function passkeyAloneMethods({ synced }: { synced: boolean }): string[] {
  return [synced ? 'swk' : 'hwk', 'user', 'mfa']
}

/** Whether a person was asked for two factors. */
export function isMultiFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa')
}
