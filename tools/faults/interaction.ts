import { type LoadSocket, openSocket } from '../../bench/load/socket.ts'
import type { Community, Reply } from './community.ts'

/** A gateway session. */
export interface Session {
  /** The next interaction, or undefined if the socket closes or none arrives within 10 seconds. */
  next(): Promise<Used | undefined>
  /** All received frames. */
  frames: Frame[]
  /** Resolves when the socket is closed. */
  closed: Promise<void>
  socket: LoadSocket
  close(): void
}

export interface Used {
  id: string
  token: string
}

interface Frame {
  op: number
  t?: string
  d?: Used
  /** Time of receipt in milliseconds since the Unix epoch. */
  at: number
}

const nextTimeoutMs = 10_000

/** Connects the bot. Resolves after READY. */
export function connectBot(community: Community): Promise<Session> {
  return connect(community.service.url, {}, { token: community.bot.token })
}

/** Connects the user. Resolves after READY. `origin` must equal BASE_URL. */
export function connectPerson(community: Community, origin = community.service.url): Promise<Session> {
  return connect(community.service.url, { cookie: community.cookie, origin }, {})
}

async function connect(url: string, headers: Record<string, string>, hello: object): Promise<Session> {
  const frames: Frame[] = []
  const waiting: Used[] = []
  let wake: () => void = () => undefined
  let isClosed = false
  const ready = Promise.withResolvers<void>()
  // The socket can close before `ready` is awaited. This avoids an unhandled rejection.
  ready.promise.catch(() => undefined)
  const closed = Promise.withResolvers<void>()
  const { hostname: host, port } = new URL(url)
  const socket = await openSocket({
    host,
    port: Number(port),
    path: '/api/gateway/ws',
    headers,
    onText(payload) {
      const frame: Frame = { ...JSON.parse(String(payload)), at: Date.now() }
      frames.push(frame)
      if (frame.t === 'READY') ready.resolve()
      if (frame.t !== 'INTERACTION_CREATE' || !frame.d) return
      waiting.push(frame.d)
      wake()
    },
    onClose() {
      isClosed = true
      ready.reject(new Error('the gateway closed the socket'))
      closed.resolve()
      wake()
    },
  })
  socket.send(JSON.stringify({ op: 2, d: hello }))
  await ready.promise
  return {
    frames,
    closed: closed.promise,
    socket,
    async next() {
      const deadline = performance.now() + nextTimeoutMs
      while (waiting.length === 0 && !isClosed && performance.now() < deadline) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, 1000)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return waiting.shift()
    },
    close: () => socket.close(),
  }
}

/** The user invokes the command of the bot. */
export function useCommand(community: Community): Promise<Reply> {
  const { channelId, bot, cookie } = community
  return community.send('/api/interactions', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ type: 'command', channelId, commandId: bot.commandId, options: [] }),
  })
}
