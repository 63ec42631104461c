import { once } from 'node:events'
import { Op } from '@gatehouse/protocol/gateway-codes'
import { type Frame, type GatewayClient, openSocket } from '@gatehouse/testkit/gateway'

/** The names of the frames in the AsyncAPI document. An event has the name of its `t`. */
const frameNames: Readonly<Record<number, string>> = {
  [Op.heartbeat]: 'Heartbeat',
  [Op.identify]: 'Identify',
  [Op.resume]: 'Resume',
  [Op.reconnect]: 'Reconnect',
  [Op.invalidSession]: 'InvalidSession',
  [Op.hello]: 'Hello',
  [Op.heartbeatAck]: 'HeartbeatAck',
}

export interface RecordedFrame {
  name: string
  /** Whose session it is. */
  by: 'user' | 'bot'
  frame: Frame
}

/** A gateway session of the scenario. */
export interface RecordedSession {
  /** Continues the session on another connection. */
  resume(): Promise<void>
  /** Tries to resume a session that the service does not have, and starts another one. */
  startAgain(): Promise<void>
}

export type GatewayRecorder = ReturnType<typeof createGatewayRecorder>

/** Opens gateway sessions and keeps the frames of both sides. */
export function createGatewayRecorder(url: string) {
  const sessions: RecordedFrame[][] = []
  const connections: GatewayClient[] = []

  /** Starts a session. `onEvent` is called with its events. */
  async function connect(
    credential: { cookie: string } | { token: string },
    choice: object = {},
    onEvent: (event: Frame) => void = () => undefined,
  ): Promise<RecordedSession> {
    const frames: RecordedFrame[] = []
    sessions.push(frames)
    const isBot = 'token' in credential
    const headers = isBot ? {} : { ...credential, origin: url }
    const token = isBot ? credential : {}
    let client: GatewayClient

    function record(frame: Frame): void {
      frames.push({ name: frame.t ?? frameNames[frame.op] ?? '', by: isBot ? 'bot' : 'user', frame })
    }

    async function open(): Promise<void> {
      client = openSocket({ url }, headers)
      connections.push(client)
      client.socket.on('message', data => {
        const frame: Frame = JSON.parse(String(data))
        record(frame)
        if (frame.op === Op.dispatch) onEvent(frame)
      })
      await once(client.socket, 'open')
    }

    /** Sends a frame. Resolves when the frame that answers it has been received. */
    async function send(frame: { op: number; d: unknown }, answer: string): Promise<void> {
      const start = frames.length
      record(frame as Frame)
      client.send(frame)
      while (!frames.slice(start).some(({ name }) => name === answer)) await client.nextFrame()
    }

    /** `s` of the last event. */
    const last = () => frames.findLast(({ frame }) => frame.s !== undefined)?.frame.s ?? 0
    const heartbeat = () => send({ op: Op.heartbeat, d: last() }, 'HeartbeatAck')
    const resume = (sessionId: string, answer: string) =>
      send({ op: Op.resume, d: { ...token, sessionId, seq: last() } }, answer)
    const identify = () => send({ op: Op.identify, d: { ...token, ...choice } }, 'READY')

    await open()
    await identify()
    await heartbeat()
    return {
      async resume() {
        client.socket.terminate()
        await client.closed
        await open()
        await resume(frames.findLast(({ name }) => name === 'READY')?.frame.d.sessionId ?? '', 'RESUMED')
      },
      async startAgain() {
        client.socket.close()
        await client.closed
        await open()
        await resume('a session that has expired', 'InvalidSession')
        await identify()
      },
    }
  }

  return {
    connect,
    /** Resolves when all connections are closed. */
    closed: () => Promise.all(connections.map(client => client.closed)),
    /** The frames of each session, in the order in which the sessions were started. */
    sessions: sessions as readonly (readonly RecordedFrame[])[],
  }
}
