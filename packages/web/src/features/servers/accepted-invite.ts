import { browserSessionStorage as storage } from '../../core/stores/browser-storage.ts'

const key = 'accepted-invite'

/** The query parameter of the invite page after the sign-in. */
export const acceptedParameter = 'accepted'

/**
 * The click on an invite before a sign-in, in `sessionStorage`: after the sign-in, the user joins without a second one
 * (community/invite-click). The URL after the sign-in has the same nonce, so no other link joins, also not to the same
 * invite.
 */
export const acceptedInvite = {
  set: (nonce: string) => storage.set(key, nonce),
  /** Whether `nonce` is that of the click. True once. */
  take(nonce: string | null): boolean {
    const isAccepted = nonce !== null && storage.get(key) === nonce
    storage.remove(key)
    return isAccepted
  },
}
