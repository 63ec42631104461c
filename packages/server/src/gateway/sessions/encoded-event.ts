import { Op } from '@gatehouse/protocol/gateway'
import type { PublishedEvent } from '../../events/gateway-events.ts'
import type { CompressedText, FrameCompression } from '../connection/frame-compression.ts'

/** Adds the members of the payload that only this user receives. */
export function withExtrasFor(userId: string, event: PublishedEvent): PublishedEvent {
  const { perUserExtras } = event
  return perUserExtras?.userId === userId && event.t === 'MESSAGE_CREATE'
    ? { ...event, d: { ...event.d, ...perUserExtras.extras } }
    : event
}

/** An event whose JSON is encoded once and shared by all sessions that send it or have it in their replay buffer. */
export class EncodedEvent {
  /** Milliseconds. */
  readonly receivedAt: number
  /** Of an event on the bus. */
  readonly id: string | undefined
  readonly #name: string
  readonly #json: string
  #lastSeq = 0
  #lastFrame: Buffer | undefined
  /** Undefined until a connection with compression sends the event. */
  #compressed: Map<FrameCompression, CompressedText> | undefined

  constructor(event: { t: string; d: unknown; id?: string | undefined }, receivedAt: number) {
    this.receivedAt = receivedAt
    this.id = event.id
    this.#name = JSON.stringify(event.t)
    this.#json = JSON.stringify(event.d) ?? 'null'
  }

  /** Of its JSON. */
  get length(): number {
    return this.#json.length
  }

  /** Sessions that are at the same sequence number share the bytes of the frame. */
  toFrame(seq: number): Buffer {
    if (this.#lastFrame === undefined || this.#lastSeq !== seq) {
      this.#lastSeq = seq
      this.#lastFrame = Buffer.from(this.#toHead(seq) + this.#toBody())
    }
    return this.#lastFrame
  }

  /** The body is compressed once for all sessions. The head differs in its sequence number. */
  toCompressedFrame(seq: number, compression: FrameCompression): CompressedText {
    this.#compressed ??= new Map()
    const body = this.#compressed.get(compression) ?? compression.compress(this.#toBody())
    this.#compressed.set(compression, body)
    return compression.toFrame(this.#toHead(seq), body)
  }

  #toHead(seq: number): string {
    return `{"op":${Op.dispatch},"t":${this.#name},"s":${seq},"d":`
  }

  #toBody(): string {
    return `${this.#json}}`
  }

  /** For another node, which makes an equal event of it. */
  toJSON(): { t: string; d: unknown; id: string | undefined } {
    return { t: JSON.parse(this.#name), d: JSON.parse(this.#json), id: this.id }
  }

  equals(other: EncodedEvent): boolean {
    return this.id === other.id && this.#json === other.#json && this.#name === other.#name
  }

  /** Call it after the event was sent to all sessions: replay buffers then share only the JSON text. */
  releaseFrame(): void {
    this.#lastFrame = undefined
  }
}
