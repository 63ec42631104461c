import { type LoadSocket, openSocket } from '../../bench/load/socket.ts'
import type { Community, Reply } from './community.ts'

/** A session on the gateway. */
export interface Session {
  /** The next interaction; undefined where the socket closes, or none comes in ten seconds. */
  next(): Promise<Used | undefined>
  /** Every frame that came. */
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
}

const patienceMs = 10_000

/** The bot's own session, up to READY. */
export function connectBot(community: Community): Promise<Session> {
  return connect(community.service.url, {}, { token: community.bot.token })
}

/** The person's. `origin` is the BASE_URL. */
export function connectPerson(community: Community, origin = community.service.url): Promise<Session> {
  return connect(community.service.url, { cookie: community.cookie, origin }, {})
}

async function connect(url: string, headers: Record<string, string>, hello: object): Promise<Session> {
  const frames: Frame[] = []
  const waiting: Used[] = []
  let wake: () => void = () => undefined
  let over = false
  const ready = Promise.withResolvers<void>()
  // It may be refused before anybody waits for it: the socket is closed while it is being opened.
  ready.promise.catch(() => undefined)
  const closed = Promise.withResolvers<void>()
  const { hostname: host, port } = new URL(url)
  const socket = await openSocket({
    host,
    port: Number(port),
    path: '/api/gateway/ws',
    headers,
    onText(payload) {
      const frame: Frame = JSON.parse(String(payload))
      frames.push(frame)
      if (frame.t === 'READY') ready.resolve()
      if (frame.t !== 'INTERACTION_CREATE' || !frame.d) return
      waiting.push(frame.d)
      wake()
    },
    onClose() {
      over = true
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
      const end = performance.now() + patienceMs
      while (waiting.length === 0 && !over && performance.now() < end) {
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

/** The person uses the bot's command. */
export function useCommand(community: Community): Promise<Reply> {
  const { channelId, bot, cookie } = community
  return community.send('/api/interactions', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ type: 'command', channelId, commandId: bot.commandId, options: [] }),
  })
}
