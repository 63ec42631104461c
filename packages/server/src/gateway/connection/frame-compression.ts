import { constants, deflateRawSync } from 'node:zlib'
import type { ConstantFrames } from './frames.ts'

/** A text in the form in which a connection with compression sends it. */
export interface CompressedText {
  readonly bytes: Buffer
  /** Of the text, in bytes of UTF-8. */
  readonly length: number
}

/**
 * All frames that a client receives are one stream. No connection keeps a context: each text is compressed alone, so
 * that every stream may contain its bytes, and all sessions share them (docs/decisions/gateway-compression.md).
 */
export interface FrameCompression {
  /** The first bytes of the stream. */
  readonly header: Buffer
  compress(text: string): CompressedText
  /** A frame: a short text as it is, then one that was compressed. */
  toFrame(head: string, body: CompressedText): CompressedText
}

/** Of a higher level, a large event would take twice the time for 7 % fewer bytes. */
const level = 3

/** The zlib format (RFC 1950) of DEFLATE (RFC 1951). A frame ends with a sync flush, by which clients find its end. */
export const zlibStream: FrameCompression = {
  header: Buffer.from([0x78, 0x9c]),
  compress(text) {
    const bytes = Buffer.from(text)
    const deflated = deflateRawSync(bytes, { level, finishFlush: constants.Z_SYNC_FLUSH })
    // A copy, because the result is a part of a buffer that is much larger.
    return { bytes: Buffer.from(deflated), length: bytes.length }
  },
  toFrame(head, body) {
    const stored = Buffer.from(head)
    return {
      bytes: Buffer.concat([storedBlockHeader(stored.length), stored, body.bytes]),
      length: stored.length + body.length,
    }
  },
}

/** RFC 1951 §3.2.4: not the last block, not compressed, the length and its complement. */
function storedBlockHeader(length: number): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt16LE(length, 1)
  header.writeUInt16LE(0xffff - length, 3)
  return header
}

/** RFC 8878 §3.1.1.2.3: a block has at most 128 KiB, and at most the window of the frame. */
const maxBlockBytes = 128 * 1024

/**
 * A Zstandard frame (RFC 8878) that does not end, of raw blocks: a compressed one may repeat offsets of the block
 * before it, so that it cannot be part of another stream.
 */
export const zstdStream: FrameCompression = {
  // The magic number, a descriptor without options, and the window: 2^(10 + 7) bytes.
  header: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3]),
  compress(text) {
    const bytes = Buffer.from(text)
    return { bytes, length: bytes.length }
  },
  toFrame(head, body) {
    const text = Buffer.concat([Buffer.from(head), body.bytes])
    const blocks: Buffer[] = []
    for (let start = 0; start < text.length; start += maxBlockBytes) {
      const block = text.subarray(start, start + maxBlockBytes)
      blocks.push(rawBlockHeader(block.length), block)
    }
    return { bytes: Buffer.concat(blocks), length: text.length }
  },
}

/** RFC 8878 §3.1.1.2: not the last block, raw, the length. */
function rawBlockHeader(length: number): Buffer {
  const header = Buffer.alloc(3)
  header.writeUIntLE(length << 3, 0, 3)
  return header
}

/** HELLO is the first frame of every connection, so it begins the stream. */
export function compressFrames(
  { hello, heartbeatAck, reconnect, invalidSession }: ConstantFrames<string>,
  compression: FrameCompression,
): ConstantFrames<CompressedText> {
  const empty = compression.compress('')
  const compress = (text: string) => compression.toFrame(text, empty)
  const { bytes, length } = compress(hello)
  return {
    hello: { bytes: Buffer.concat([compression.header, bytes]), length },
    heartbeatAck: compress(heartbeatAck),
    reconnect: compress(reconnect),
    invalidSession: compress(invalidSession),
  }
}
