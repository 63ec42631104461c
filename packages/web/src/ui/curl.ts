/**
 * A command for a POSIX shell that sends a POST request. `url` and `headers` may have variables, such as `$TOKEN`, in
 * place of a secret, but no text of others. Without a body it is the variable `$BODY`.
 */
export function toCurl(
  url: string,
  {
    headers = [],
    contentType,
    body,
  }: { headers?: readonly string[]; contentType?: string | null; body?: string | null },
): string {
  const lines = [
    `curl -X POST "${url}"`,
    ...headers.map(header => `-H "${header}"`),
    ...(contentType ? [`-H ${quote(`Content-Type: ${contentType}`)}`] : []),
    // `--data` would read a file if the body starts with `@`.
    `--data-raw ${body == null ? '"$BODY"' : quote(body)}`,
  ]
  return lines.join(' \\\n  ')
}

/** Anybody may have written the body. Control characters are escaped, because a terminal may run them. */
function quote(text: string): string {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(/\p{Cc}/gu, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}
