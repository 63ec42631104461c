import { CloseCode, type Ready } from '@gatehouse/protocol/gateway'
import { framesPerWindow, responseBytesPerRequest, resumeEvents } from '@gatehouse/protocol/limits'
import type { ChannelEvent, DispatchRequest, PublishedEvent } from '../../events/gateway-events.ts'
import { internalError, type ProtocolError, type Translation } from '../wire-format.ts'
import type { EncodedEvent } from './encoded-event.ts'
import type { EventTranslation, GatewaySession, SessionConnection } from './gateway-session.ts'
import { TaskQueue } from './task-queue.ts'

interface Options {
  end: (session: GatewaySession, error: ProtocolError) => void
  onError: (error: unknown) => void
}

const connectionLost: ProtocolError = [CloseCode.unknown, 'the connection was lost during a large event']

const isLarge = ({ length }: EncodedEvent) => length > responseBytesPerRequest

/** In characters of JSON. Longer events are not stored for a resume. */
const maxStoredLength = 128 * 1024

/**
 * Translates the events of one session, in their order. A translation may read the database, so the events wait here.
 * They are numbered when they are translated: replay buffer, resume and hand-over have the translated events.
 */
export class SessionTranslation implements EventTranslation {
  readonly #session: GatewaySession
  readonly #translation: Translation
  readonly #end: Options['end']
  readonly #events: TaskQueue
  /** They do not wait for the servers that are sent after READY, because their time runs. */
  readonly #interactions: TaskQueue
  /** What the client requested. Its events are sent between those of `#events`. */
  readonly #requests: TaskQueue

  constructor(session: GatewaySession, translation: Translation, { end, onError }: Options) {
    this.#session = session
    this.#translation = translation
    this.#end = end
    const onFailure = (error: unknown) => {
      if (session.ended) return
      onError(error)
      end(session, internalError)
    }
    const limits = {
      maxTasks: resumeEvents,
      onOverflow: () => end(session, [CloseCode.unknown, 'too many unsent events']),
      onError: onFailure,
    }
    this.#events = new TaskQueue(limits)
    this.#interactions = new TaskQueue(limits)
    this.#requests = new TaskQueue({
      maxTasks: framesPerWindow,
      onOverflow: () => end(session, [CloseCode.rateLimited, 'too many requests wait']),
      onError: onFailure,
    })
  }

  receive(event: PublishedEvent | DispatchRequest): void {
    const queue = event.t === 'INTERACTION_CREATE' ? this.#interactions : this.#events
    queue.push(() => {
      if (this.#session.ended) return
      const translated = this.#translation.translate(this.#session, event)
      if (translated instanceof Promise) return translated.then(events => this.#sendRead(events))
      this.#send(translated)
    })
  }

  wants(event: PublishedEvent): boolean {
    return this.#translation.ignoresIntent(this.#session, event)
  }

  translateVisibility(event: ChannelEvent): readonly EncodedEvent[] {
    return this.#translation.translateVisibility(event)
  }

  pause(): void {
    this.#events.pause()
    this.#interactions.pause()
    this.#requests.pause()
  }

  async start(connection: SessionConnection, ready: Ready): Promise<void> {
    const session = this.#session
    const first = await this.#translation.ready(session, ready)
    if (session.ended || session.connection !== connection) return
    session.start(connection, first)
    this.#interactions.start()
    this.#requests.start()
    this.#events.start(async () => {
      const isComplete = await this.#sendUnstored(this.#translation.start(session, ready), connection)
      if (!isComplete) this.#end(session, connectionLost)
    })
  }

  request(connection: SessionConnection, op: number, d: unknown): ProtocolError | undefined {
    const events = this.#translation.request(this.#session, op, d)
    if (events === undefined) return [CloseCode.unknownOp, 'unknown opcode']
    this.#requests.push(() => this.#sendUnstored(events, connection))
  }

  get isIdle(): boolean {
    return this.#events.isIdle && this.#interactions.isIdle
  }

  idle(): Promise<void> | undefined {
    return this.#events.idle() ?? this.#interactions.idle()
  }

  close(): void {
    this.#events.clear()
    this.#interactions.clear()
    this.#requests.clear()
  }

  #send(events: readonly EncodedEvent[]): void {
    for (const event of events) {
      this.#session.send(event)
      event.releaseFrame()
    }
  }

  /** What was read from the database may be large. */
  async #sendRead(events: readonly EncodedEvent[]): Promise<void> {
    for (const event of events) {
      // No faster than the client reads.
      if (isLarge(event) && event.length <= maxStoredLength) await this.#session.connection?.drained()
      if (this.#session.ended) return
      const { connection, started } = this.#session
      // Before a session of another node has moved here, its events are kept.
      if (event.length <= maxStoredLength || !started) this.#send([event])
      else if (connection === undefined || !(await this.#session.sendUnstored(connection, event))) {
        return this.#end(this.#session, connectionLost)
      }
    }
  }

  /** Resolves to false if the connection was lost. */
  async #sendUnstored(events: AsyncIterable<EncodedEvent>, connection: SessionConnection): Promise<boolean> {
    for await (const event of events) {
      if (this.#session.ended || !(await this.#session.sendUnstored(connection, event))) return false
    }
    return true
  }
}
