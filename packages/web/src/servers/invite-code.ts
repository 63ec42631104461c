/** The code of an invite, given as it is or as the link that holds it; undefined where there is none in it. */
export function inviteCode(text: string): string | undefined {
  const given = text.trim()
  const code = /\/invite\/([^/?#\s]+)/.exec(given)?.[1] ?? given
  return /^[A-Za-z0-9_-]{1,64}$/.test(code) ? code : undefined
}
