const key = 'accepted-invite'

/**
 * The code of the invite that the user accepted before they signed in, in `sessionStorage`. After the sign-in, the user
 * joins without a second confirmation. Only a click sets it: an invite link alone must not add a user to a server.
 */
export const acceptedInvite = {
  has(code: string): boolean {
    try {
      return sessionStorage.getItem(key) === code
    } catch {
      return false
    }
  },
  set(code: string): void {
    try {
      sessionStorage.setItem(key, code)
    } catch {
      // A private window may deny the storage. The user accepts the invite again after the sign-in.
    }
  },
  clear(): void {
    try {
      sessionStorage.removeItem(key)
    } catch {
      // Without the storage, nothing was stored.
    }
  },
}
