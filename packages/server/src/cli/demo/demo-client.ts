import type { RequestArguments, ResponseOf } from '@gatehouse/protocol/endpoint-types'
import { type OperationId, requestLine } from '@gatehouse/protocol/endpoints'

/** An HTTP client that stores cookies and does not follow redirects, for API requests and HTML forms. */
export interface Client {
  readonly cookies: Map<string, string>
  /** The value of the `Cookie` header. */
  cookieHeader(): string
  /** Sends JSON. If `body` is undefined, the request has no body. */
  json(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ClientResponse>
  /** Like `json`, but returns the parsed body and throws if the response is not successful. */
  request<T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>
  /** Calls an operation of the API. Returns the parsed body, and throws if the response is not successful. */
  call<Id extends OperationId>(
    id: Id,
    ...[request]: RequestArguments<Id, { headers?: Readonly<Record<string, string>> }>
  ): Promise<ResponseOf<Id>>
  /** Posts a form with the headers of a same-origin page. */
  form(
    path: string,
    fields: URLSearchParams | Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ClientResponse>
  /** Opens a page and submits its form with the button `decision`. Returns the `Location` of the response. */
  submitForm(path: string, decision: string): Promise<string | undefined>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ClientResponse>
  send(path: string, init: RequestInit): Promise<ClientResponse>
}

export interface ClientResponse {
  status: number
  headers: Headers
  text: string
  /** The parsed body, or undefined if it is not JSON. */
  body: ReturnType<typeof JSON.parse>
}

/** A request and its response. */
export interface Exchange {
  method: string
  /** With the query. */
  path: string
  headers: Headers
  body: RequestInit['body']
  response: ClientResponse
}

/**
 * `onExchange` is called with each request and its response. A request fails with the error that it throws. `fetchUrl`
 * sends the requests: the default accepts at most 16 KiB of headers.
 */
export function createClient(
  url: string,
  onExchange?: (exchange: Exchange) => void,
  fetchUrl: (url: URL, init: RequestInit) => Promise<Response> = fetch,
): Client {
  const cookies = new Map<string, string>()

  async function send(path: string, init: RequestInit): Promise<ClientResponse> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', client.cookieHeader())
    const target = new URL(path, url)
    const response = await fetchUrl(target, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const equals = pair.indexOf('=')
      const value = pair.slice(equals + 1)
      if (value === '') cookies.delete(pair.slice(0, equals))
      else cookies.set(pair.slice(0, equals), value)
    }
    const text = await response.text()
    const reply = { status: response.status, headers: response.headers, text, body: parseJson(text) }
    const { method = 'GET', body } = init
    onExchange?.({ method, path: target.pathname + target.search, headers, body, response: reply })
    return reply
  }

  const client: Client = {
    cookies,
    cookieHeader: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    send,
    get: (path, headers = {}) => send(path, { headers }),
    json: (method, path, body, headers = {}) =>
      send(path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async request(method, path, body, headers) {
      const response = await client.json(method, path, body, headers)
      assertSuccess(response, `${method} ${path}`)
      return response.body
    },
    call(id, ...[request]) {
      const { body, headers } = (request ?? {}) as {
        body?: unknown
        headers?: Readonly<Record<string, string>>
      }
      const { method, path } = requestLine(id, (request ?? {}) as never)
      return client.request(method, path, body, headers)
    },
    form: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
    async submitForm(path, decision) {
      const page = await client.get(path)
      assertSuccess(page, `GET ${path}`)
      const { action, fields } = readForm(page.text)
      fields.set('decision', decision)
      const response = await client.form(action ?? path, fields)
      assertSuccess(response, `POST ${action}`)
      return response.headers.get('location') ?? undefined
    },
  }
  return client
}

function assertSuccess({ status, text }: ClientResponse, request: string): void {
  if (status >= 400) throw new Error(`${request}: ${status} ${text}`)
}

/** The action of a form and the values that a browser without JavaScript sends. */
function readForm(html: string): { action: string | undefined; fields: URLSearchParams } {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1]
  const inputs = html.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"( checked)?/g)
  const select = /<select[^>]* name="([^"]*)"[\s\S]*?<option value="([^"]*)" selected/.exec(html)
  const fields = new URLSearchParams()
  for (const [tag, name = '', value = '', checked] of [...inputs, ...(select ? [select] : [])])
    if (checked !== undefined || !tag.includes('checkbox')) fields.append(name, decodeHtml(value))
  return { action: action && decodeHtml(action), fields }
}

const entities: Record<string, string> = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' }

function decodeHtml(html: string): string {
  return html.replace(/&(quot|#39|lt|gt|amp);/g, (_, name) => entities[name] ?? '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
