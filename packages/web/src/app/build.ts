/** The script that a page of the client begins with: its name says which build it is. */
export function entryOf(html: string): string | undefined {
  return /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1]
}

/** The build that the service has now, where that is not the one that runs; undefined also where it does not answer. */
export async function newerBuild(): Promise<string | undefined> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src')
  try {
    const response = await fetch(location.pathname, { headers: { accept: 'text/html' }, cache: 'no-store' })
    const entry = response.ok ? entryOf(await response.text()) : undefined
    return entry === own ? undefined : entry
  } catch {
    return undefined
  }
}

const key = 'reloaded-for'

/** Whether the page may be reloaded for a build: once, and never where the browser cannot remember that. */
export function firstReloadFor(build: string): boolean {
  try {
    if (sessionStorage.getItem(key) === build) return false
    sessionStorage.setItem(key, build)
    return true
  } catch {
    return false
  }
}
