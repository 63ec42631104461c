/** Returns undefined for an invalid URL. Node.js 20 does not have `URL.parse`. */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
