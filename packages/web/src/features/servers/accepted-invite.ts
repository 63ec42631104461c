import { browserSessionStorage as storage } from '../../core/stores/browser-storage.ts'

const key = 'accepted-invite'

/**
 * The code of the invite that the user accepted before they signed in, in `sessionStorage`. After the sign-in, the user
 * joins without a second confirmation. Only a click sets it: an invite link alone must not add a user to a server.
 */
export const acceptedInvite = {
  has: (code: string) => storage.get(key) === code,
  set: (code: string) => storage.set(key, code),
  clear: () => storage.remove(key),
}
