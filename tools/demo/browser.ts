/** A client that behaves like a browser without JavaScript: it stores cookies and submits forms. */
export interface Browser {
  json<T>(method: string, path: string, body?: unknown): Promise<T>
  /** The value of the `Cookie` header. */
  cookie(): string
  /** Opens the page and submits its form with the button `decision`. Resolves to the `Location` of the response. */
  submitForm(path: string, decision: string): Promise<string | undefined>
}

export function createBrowser(url: string): Browser {
  const cookies = new Map<string, string>()

  function cookie(): string {
    return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie())
    headers.set('sec-fetch-site', 'same-origin')
    const response = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0] ?? ''
      const equals = pair.indexOf('=')
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    return response
  }

  return {
    cookie,
    async json<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await send(path, {
        method,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      const text = await response.text()
      // The caller knows the type from the API contract.
      return (text === '' ? undefined : JSON.parse(text)) as T
    },

    async submitForm(path, decision) {
      const page = await send(path, {})
      const html = await page.text()
      if (page.status !== 200) throw new Error(`GET ${path.split('?')[0]}: ${page.status}`)
      const action = decodeHtml(/<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? path)
      const fields = new URLSearchParams({ decision })
      for (const [, name = '', value = ''] of html.matchAll(
        /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
      )) {
        fields.set(decodeHtml(name), decodeHtml(value))
      }
      const select = /<select[^>]* name="([^"]*)"[\s\S]*?<option value="([^"]*)" selected/.exec(html)
      if (select) fields.set(select[1] ?? '', decodeHtml(select[2] ?? ''))
      for (const [, name = '', value = ''] of html.matchAll(
        /<input type="checkbox" name="([^"]*)" value="([^"]*)" checked/g,
      )) {
        fields.append(decodeHtml(name), decodeHtml(value))
      }
      const response = await send(new URL(action, new URL(path, url)).href, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: fields.toString(),
      })
      if (response.status >= 400) throw new Error(`POST ${path.split('?')[0]}: ${response.status}`)
      return response.headers.get('location') ?? undefined
    },
  }
}

function decodeHtml(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
