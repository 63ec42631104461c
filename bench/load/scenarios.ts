import { type Answer, requestText } from './http-connection.ts'

/** What one connection does: a request, a look at its answer, and again until there is nothing left to do. */
export interface Lane {
  next(): string | undefined
  /** What is wrong with the answer, undefined where it is as it should be. */
  check(answer: Answer): string | undefined
}

export type Scenario =
  | { kind: 'tokens'; path: string; codes: string[]; client: TokenClient; idToken: boolean }
  | { kind: 'codes'; path: string; cookie: string; count: number }
  | {
      kind: 'same'
      method: string
      path: string
      headers: Record<string, string>
      body?: string
      expect: Expected
      /** Requests in all; without it there is no end to them. */
      count?: number
    }

export interface TokenClient {
  id: string
  secret: string
  redirectUri: string
}

export interface Expected {
  status: number
  /** Stands in the body. */
  contains?: string
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** `found` takes what a scenario is run to find. */
export function lanesOf(scenario: Scenario, found: string[]): () => Lane {
  switch (scenario.kind) {
    case 'tokens':
      return tokenLanes(scenario)
    case 'codes':
      return codeLanes(scenario, found)
    case 'same':
      return sameLanes(scenario)
  }
}

/** A code for tokens, its refresh token for the next, and the next code. */
function tokenLanes({ path, codes, client, idToken }: Extract<Scenario, { kind: 'tokens' }>): () => Lane {
  const credentials = { client_id: client.id, client_secret: client.secret }
  const waiting = [...codes]
  const post = (fields: Record<string, string>) =>
    requestText('POST', path, form, new URLSearchParams({ ...fields, ...credentials }).toString())
  return () => {
    let refreshToken: string | undefined
    let refreshed = false
    return {
      next() {
        if (refreshToken !== undefined) {
          const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
          refreshToken = undefined
          return post(fields)
        }
        const code = waiting.pop()
        if (code === undefined) return undefined
        return post({ grant_type: 'authorization_code', code, redirect_uri: client.redirectUri })
      },
      check({ status, body }) {
        const issued = /"refresh_token":"([^"]+)"/.exec(body)?.[1]
        if (status !== 200 || issued === undefined) return `${status} ${body.slice(0, 120)}`
        if (idToken !== /"id_token":"ey/.test(body))
          return `id_token ${idToken ? 'missing' : 'not asked for'}`
        // Every other answer is that of a refresh: its token is left alone.
        if (!refreshed) refreshToken = issued
        refreshed = !refreshed
        return undefined
      },
    }
  }
}

function codeLanes(
  { path, cookie, count }: Extract<Scenario, { kind: 'codes' }>,
  found: string[],
): () => Lane {
  let left = count
  const text = requestText('GET', path, { cookie, 'sec-fetch-site': 'none' })
  return () => ({
    next: () => (left-- > 0 ? text : undefined),
    check({ status, head }) {
      const code = /^location: [^\r]*[?&]code=([^&\r]+)/im.exec(head)?.[1]
      if (status !== 303 || code === undefined) return `${status} without a code`
      found.push(decodeURIComponent(code))
      return undefined
    },
  })
}

function sameLanes(scenario: Extract<Scenario, { kind: 'same' }>): () => Lane {
  const { method, path, headers, body, expect, count } = scenario
  let left = count ?? Number.POSITIVE_INFINITY
  const text = requestText(method, path, headers, body)
  return () => ({
    next: () => (left-- > 0 ? text : undefined),
    check({ status, body }) {
      if (status !== expect.status) return `${status} ${body.slice(0, 120)}`
      return expect.contains === undefined || body.includes(expect.contains) ? undefined : 'another body'
    },
  })
}
