import { invalid } from '../../errors/app-error.ts'

/** What belongs to an account and is easy to guess. */
interface AccountWords {
  username: string
  displayName?: string | undefined
  email: string | null
}

/** Imported at the first use, because loading it takes a tenth of a second. In lower case. */
async function loadCommonPasswords(): Promise<readonly string[]> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return dictionary['passwords-common']
}

/**
 * Compares the whole password, regardless of case, with a list of common passwords and with the words of the account
 * and the service (NIST SP 800-63B-4 §3.1.1.2, sign-in/common-passwords). Throws `validation_failed` at `password`.
 */
export async function rejectCommonPassword(
  password: string,
  { username, displayName = username, email }: AccountWords,
): Promise<void> {
  const commonPasswords = await loadCommonPasswords()
  const words = ['gatehouse', username, displayName, email ?? '', email?.split('@')[0] ?? '']
  const normalized = normalize(password)
  if (!commonPasswords.includes(normalized) && !words.map(normalize).includes(normalized)) return
  throw invalid('password', 'too_common', 'must not be a common password, a name or an email address')
}

function normalize(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
