import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** The client of a user. It retries requests that fail or return 503. */
export interface Person {
  json<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Resolves to the final state of the interaction. */
  outcome(id: string): Promise<string>
  /** The number of retries. */
  readonly repeats: number
  close(): void
}

interface Gateway {
  op: number
  t?: string
  d: { id: string; state: string; interaction?: { id: string } }
}

const repeatMs = 100
const pollMs = 500

/** Calls `seen` with the interaction id of each message that the socket receives. */
export async function join(
  url: string,
  username: string,
  seen: (interactionId: string) => void,
): Promise<Person> {
  const ended = new AbortController()
  const outcomes = new Map<string, string>()
  let cookie = ''
  let repeats = 0
  let socket: WebSocket | undefined

  async function send(method: string, path: string, body: unknown): Promise<Response> {
    for (;;) {
      const response = await fetch(url + path, {
        method,
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch(() => undefined)
      if (response && response.status !== 503) return response
      await response?.arrayBuffer().catch(() => undefined)
      repeats++
      await wait(repeatMs, undefined, { signal: ended.signal })
    }
  }

  async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (;;) {
      const response = await send(method, path, body)
      const set = response.headers.getSetCookie()[0]
      if (set) cookie = set.split(';', 1)[0] ?? ''
      // The connection broke during the response: send the request again.
      const text = await response.text().catch(() => undefined)
      if (text === undefined) continue
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      // Not validated: the type follows from the API.
      return (text === '' ? undefined : JSON.parse(text)) as T
    }
  }

  function connect(): void {
    const address = new URL('/api/gateway/ws', url.replace('http', 'ws'))
    const opened = new WebSocket(address, { headers: { cookie, origin: url } })
    socket = opened
    opened.on('message', data => {
      const { op, t, d }: Gateway = JSON.parse(String(data))
      if (op === 10) opened.send('{"op":2,"d":{}}')
      if (t === 'INTERACTION_UPDATE') outcomes.set(d.id, d.state)
      if (t === 'MESSAGE_CREATE' && d.interaction) seen(d.interaction.id)
    })
    opened.on('error', () => {})
    opened.on('close', () => {
      if (ended.signal.aborted) return
      wait(repeatMs, undefined, { signal: ended.signal }).then(connect, () => {})
    })
  }

  await json('POST', '/api/auth/register', {
    username,
    email: `${username}@example.org`,
    password: 'open-the-gate',
  })
  connect()

  return {
    json,
    async outcome(id) {
      for (let nextPoll = performance.now() + pollMs; ; ) {
        const outcome = outcomes.get(id)
        if (outcome !== undefined) return outcome
        await wait(5, undefined, { signal: ended.signal })
        if (performance.now() < nextPoll) continue
        const { state } = await json<{ state: string }>('GET', `/api/interactions/${id}`)
        if (state !== 'pending') return state
        nextPoll = performance.now() + pollMs
      }
    },
    get repeats() {
      return repeats
    },
    close() {
      ended.abort()
      socket?.terminate()
    },
  }
}
