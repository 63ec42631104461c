import { CloseCode, gatewayPath, type Ready } from '@gatehouse/protocol/gateway'
import type { ChannelEvent, DispatchRequest, PublishedEvent } from '../events/gateway-events.ts'
import type { CompressedText, FrameCompression } from './connection/frame-compression.ts'
import {
  type ConstantFrames,
  frames,
  type IdentifyData,
  parseIdentify,
  parseResume,
  type ResumeData,
  type Reviver,
} from './connection/frames.ts'
import type { Identity } from './connection/gateway-authentication.ts'
import type { EncodedEvent } from './sessions/encoded-event.ts'

export type ProtocolError = readonly [closeCode: number, reason: string]

/** The frames of a connection. `nativeFormat` are our own; another API may pass its own to the gateway. */
export interface WireFormat {
  /** Of the WebSocket. */
  readonly paths: readonly string[]
  /** The constant frames of the server. */
  readonly frames: ConstantFrames<string | CompressedText>
  /** Undefined if frames of the server are text. */
  readonly compression: FrameCompression | undefined
  /** True if frames of the client may be binary. They contain the same JSON. */
  readonly acceptsBinary: boolean
  /** `op` of frames that the service ignores. */
  readonly ignoredOps: readonly number[]
  /** The reviver of `JSON.parse` for frames of the client. */
  readonly revive?: Reviver
  /** The format of a connection whose URL has this query, or why it is closed. */
  forQuery(query: URLSearchParams): WireFormat | ProtocolError
  /** `d` of identify. Undefined if it is not an object. */
  parseIdentify(d: unknown): IdentifyData | ProtocolError | undefined
  /** `d` of resume. Undefined if it is not an object. */
  parseResume(d: unknown): ResumeData | undefined
  /** The close code that clients of this format expect for one of ours. */
  toCloseCode(code: number, hasSession: boolean): number
  /** Undefined if the events are our own. */
  readonly translation?: Translation
}

/** The session that receives translated events. */
export interface TranslatedSession {
  readonly id: string
  readonly identity: Identity
}

/** How a wire format translates events. The sessions that identified with it have its name in their options. */
export interface Translation {
  /** `BotOptions.format`. */
  readonly name: string
  ready(session: TranslatedSession, ready: Ready): Promise<EncodedEvent>
  /** The events after READY, each read when the client has read those before. */
  start(session: TranslatedSession, ready: Ready): AsyncIterable<EncodedEvent>
  /**
   * One event becomes any number of events. A node may translate an event twice, and so may two nodes: the ids and the
   * number of the results stay the same, so that a session that moves gets each once.
   */
  translate(
    session: TranslatedSession,
    event: PublishedEvent | DispatchRequest,
  ): readonly EncodedEvent[] | Promise<readonly EncodedEvent[]>
  /** Of a channel that the bot can now view, or no longer. */
  translateVisibility(event: ChannelEvent): readonly EncodedEvent[]
  /** True if sessions receive the event also without the intent that it needs natively. */
  ignoresIntent(session: TranslatedSession, event: PublishedEvent): boolean
  /** The events that respond to a frame of the client. Undefined if its `op` is unknown. */
  request(session: TranslatedSession, op: number, d: unknown): AsyncIterable<EncodedEvent> | undefined
}

export const nativeFormat: WireFormat = {
  paths: [gatewayPath],
  frames,
  compression: undefined,
  acceptsBinary: false,
  ignoredOps: [],
  forQuery: () => nativeFormat,
  parseIdentify,
  parseResume,
  toCloseCode: code => code,
}

/** Whether the session identified with this format. A session is resumed only with its own. */
export function isOfFormat({ options }: Identity, { translation }: WireFormat): boolean {
  return options?.format === translation?.name
}

export const internalError: ProtocolError = [CloseCode.unknown, 'internal error, try again later']
