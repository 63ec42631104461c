/** Whether the path is that of an invite page. */
export function isInvitePath(pathname: string): boolean {
  return /^\/invite\/[^/]+$/.test(pathname)
}

/** Returns the code of an invite code or an invite URL. */
export function parseInviteCode(text: string): string | undefined {
  const trimmed = text.trim()
  const code = /\/invite\/([^/?#\s]+)/.exec(trimmed)?.[1] ?? trimmed
  return /^[A-Za-z0-9_-]{1,64}$/.test(code) ? code : undefined
}
