/** Returns the URL of the entry script of a page, which identifies the build. */
export function parseEntryScript(html: string): string | undefined {
  return /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1]
}

/**
 * Returns the current build of the service if it is not the running one. Undefined if the service cannot be reached.
 */
export async function findNewerBuild(): Promise<string | undefined> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src')
  try {
    const response = await fetch(location.pathname, { headers: { accept: 'text/html' }, cache: 'no-store' })
    const entry = response.ok ? parseEntryScript(await response.text()) : undefined
    return entry === own ? undefined : entry
  } catch {
    return undefined
  }
}

const key = 'reloaded-for'

/**
 * Whether the page may reload itself for a build: once, and never without session storage, which could cause a loop.
 */
export function claimReload(build: string): boolean {
  try {
    if (sessionStorage.getItem(key) === build) return false
    sessionStorage.setItem(key, build)
    return true
  } catch {
    return false
  }
}
