import type { Event } from '../platform/events.ts'

/** The event as the sessions of this person are told it. */
export function toldTo(userId: string, event: Event): Event {
  const { t, d, aside } = event
  return aside?.userId === userId && typeof d === 'object' ? { t, d: { ...d, ...aside.more } } : event
}

/** An event on its way to any number of sessions: made into JSON once, and shared by all that keep it for a resume. */
export class Outgoing {
  /** When it came, in milliseconds. */
  readonly at: number
  readonly #name: string
  readonly #json: string
  #lastSeq = 0
  #lastFrame: Buffer | undefined

  constructor(event: Event, at: number) {
    this.at = at
    this.#name = JSON.stringify(event.t)
    this.#json = JSON.stringify(event.d) ?? 'null'
  }

  /** The frame as the session whose `s` it is gets it. Sessions that stand at the same number share its bytes. */
  frame(seq: number): Buffer {
    if (this.#lastFrame === undefined || this.#lastSeq !== seq) {
      this.#lastSeq = seq
      this.#lastFrame = Buffer.from(`{"op":0,"t":${this.#name},"s":${seq},"d":${this.#json}}`)
    }
    return this.#lastFrame
  }

  /** After the last session was given it: what stays is the JSON. */
  settle(): void {
    this.#lastFrame = undefined
  }
}
