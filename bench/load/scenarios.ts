import type { OAuthClient } from '@gatehouse/testkit/fixture'
import type { HttpRequest, HttpResponse } from './http-client.ts'

/** The requests of one connection. `next` returns undefined after the last one. */
export interface ConnectionRequests {
  next(): HttpRequest | undefined
  /** Returns the error text, or undefined for the expected response. */
  check(response: HttpResponse): string | undefined
}

export type Scenario =
  | { kind: 'tokens'; path: string; codes: string[]; client: OAuthClient; idToken: boolean }
  | { kind: 'codes'; path: string; cookie: string; count: number }
  | {
      kind: 'same'
      method: string
      path: string
      headers: Record<string, string>
      body?: string
      expect: Expected
      /** The total number of requests, unlimited by default. */
      count?: number
    }

export interface Expected {
  status: number
  /** Text that the body must contain. */
  contains?: string
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Authorization codes that a scenario receives are added to `found`. */
export function requestsOf(scenario: Scenario, found: string[]): () => ConnectionRequests {
  switch (scenario.kind) {
    case 'tokens':
      return tokenRequests(scenario)
    case 'codes':
      return authorizationRequests(scenario, found)
    case 'same':
      return repeatedRequests(scenario)
  }
}

/** Exchanges a code, refreshes the tokens once, and continues with the next code. */
function tokenRequests({
  path,
  codes,
  client,
  idToken,
}: Extract<Scenario, { kind: 'tokens' }>): () => ConnectionRequests {
  const credentials = { client_id: client.id, client_secret: client.secret }
  const unusedCodes = [...codes]
  const post = (fields: Record<string, string>) => ({
    method: 'POST',
    path,
    headers: form,
    body: new URLSearchParams({ ...fields, ...credentials }).toString(),
  })
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
        const code = unusedCodes.pop()
        if (code === undefined) return undefined
        return post({ grant_type: 'authorization_code', code, redirect_uri: client.redirectUri })
      },
      check({ status, body }) {
        const issued = /"refresh_token":"([^"]+)"/.exec(body)?.[1]
        if (status !== 200 || issued === undefined) return `${status} ${body.slice(0, 120)}`
        if (idToken !== /"id_token":"ey/.test(body))
          return `id_token ${idToken ? 'missing' : 'not asked for'}`
        // Responses alternate between exchange and refresh. The refresh token from a refresh is not used.
        if (!refreshed) refreshToken = issued
        refreshed = !refreshed
        return undefined
      },
    }
  }
}

function authorizationRequests(
  { path, cookie, count }: Extract<Scenario, { kind: 'codes' }>,
  found: string[],
): () => ConnectionRequests {
  let remaining = count
  const request = { method: 'GET', path, headers: { cookie, 'sec-fetch-site': 'none' } }
  return () => ({
    next: () => (remaining-- > 0 ? request : undefined),
    check({ status, headers }) {
      const code = /[?&]code=([^&]+)/.exec(String(headers().location))?.[1]
      if (status !== 303 || code === undefined) return `${status} without a code`
      found.push(decodeURIComponent(code))
      return undefined
    },
  })
}

function repeatedRequests(scenario: Extract<Scenario, { kind: 'same' }>): () => ConnectionRequests {
  const { kind: _, expect, count, ...request } = scenario
  let remaining = count ?? Number.POSITIVE_INFINITY
  return () => ({
    next: () => (remaining-- > 0 ? request : undefined),
    check({ status, body }) {
      if (status !== expect.status) return `${status} ${body.slice(0, 120)}`
      return expect.contains === undefined || body.includes(expect.contains) ? undefined : 'another body'
    },
  })
}
