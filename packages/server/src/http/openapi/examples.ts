import recorded from './examples.json' with { type: 'json' }
import recordedFrames from './gateway-examples.json' with { type: 'json' }

/**
 * A recorded request of an operation and its response, in `examples.json`. `node tools/record-examples.ts` writes the file.
 */
export interface Example {
  /** The media type of the request. */
  type?: string
  /** By name, of the path, the query and the headers. */
  parameters?: Readonly<Record<string, unknown>>
  /** Absent for images. A form is an object. */
  body?: unknown
  status: number
  /** Absent for pages and images. */
  response?: unknown
}

/** A recorded frame of the gateway, in `gateway-examples.json`, which the same program writes. */
export interface FrameExample {
  /** What it is an example of, if the message has several. */
  name?: string
  payload: unknown
}

const table: Readonly<Record<string, readonly Example[]>> = recorded

export function examplesOf({ operationId = '' }: { operationId?: string | undefined }): readonly Example[] {
  return table[operationId] ?? []
}

const frames: Readonly<Record<string, readonly FrameExample[]>> = recordedFrames

/** `name`: of a message of the AsyncAPI document. */
export function examplesOfMessage(name: string): readonly FrameExample[] {
  return frames[name] ?? []
}
