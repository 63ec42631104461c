import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { EncodedEvent } from '../sessions/encoded-event.ts'
import { compressFrames, type FrameCompression, zlibStream, zstdStream } from './frame-compression.ts'
import { frames } from './frames.ts'

const { Z_SYNC_FLUSH, ZSTD_e_flush } = zlib.constants

/** Reads a stream that does not end. */
const formats: [name: string, FrameCompression, decompress: (stream: Buffer) => Buffer][] = [
  ['zlib-stream', zlibStream, stream => zlib.inflateSync(stream, { finishFlush: Z_SYNC_FLUSH })],
  ['zstd-stream', zstdStream, stream => zlib.zstdDecompressSync(stream, { finishFlush: ZSTD_e_flush })],
]

const syncFlush = Buffer.from([0, 0, 0xff, 0xff])

/** HELLO and the events, as a connection sends them. */
function toStream(compression: FrameCompression, events: readonly EncodedEvent[]): Buffer[] {
  const { hello } = compressFrames(frames, compression)
  const dispatched = events.map((event, n) => event.toCompressedFrame(n + 1, compression))
  return [hello, ...dispatched].map(({ bytes }) => bytes)
}

function toText(events: readonly EncodedEvent[]): string {
  return [frames.hello, ...events.map((event, n) => event.toFrame(n + 1))].join('')
}

const encode = (d: unknown) => new EncodedEvent({ t: 'MESSAGE_CREATE', d }, 0)

const payloads = fc.array(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })).map(encode))

for (const [name, compression, decompress] of formats) {
  test(`${name}: all frames of a connection are one stream, whatever the events are (discord/gateway)`, () => {
    fc.assert(
      fc.property(payloads, events => {
        assert.equal(decompress(Buffer.concat(toStream(compression, events))).toString(), toText(events))
      }),
    )
  })

  test(`${name}: large events, with and without repetition (discord/gateway)`, () => {
    const sizes = [65_535, 65_536, 131_071, 131_072, 131_073, 1_000_000]
    const events = sizes.flatMap(size => [
      encode('é'.repeat(size)),
      encode(randomBytes(size).toString('base64')),
    ])
    assert.equal(decompress(Buffer.concat(toStream(compression, events))).toString(), toText(events))
    for (const event of events) {
      const { bytes, length } = event.toCompressedFrame(7, compression)
      assert.equal(length, event.toFrame(7).length, 'the length before compression')
      assert.ok(bytes.length <= length + 100)
    }
  })

  test(`${name}: a client that has a frame can read its event (discord/gateway)`, () => {
    const events = [encode({ content: 'é'.repeat(70_000) }), encode({ content: 'hello' })]
    const stream = toStream(compression, events)
    for (const n of stream.keys()) {
      const received = decompress(Buffer.concat(stream.slice(0, n + 1))).toString()
      assert.equal(received, toText(events.slice(0, n)))
    }
  })

  test(`${name}: an event is compressed once, and not with others (discord/gateway)`, t => {
    const event = encode({ content: 'hello' })
    const compress = t.mock.method(compression, 'compress')
    const [first, second] = [1, 20].map(seq => event.toCompressedFrame(seq, compression).bytes)
    assert.equal(compress.mock.callCount(), 1)
    assert.ok(first && second)
    const { bytes: body } = compression.compress('{"content":"hello"}}')
    for (const frame of [first, second]) assert.deepEqual(frame.subarray(-body.length), body)
    const repeated = toStream(compression, [event, event])
    assert.equal(repeated[1]?.length, repeated[2]?.length, 'no frame refers to one before it')
  })
}

test('zlib-stream: every frame ends with a sync flush, by which clients find its end (discord/gateway)', () => {
  const events = ['', 'x', {}, 'x'.repeat(100_000), randomBytes(100_000).toString('base64')].map(encode)
  for (const frame of toStream(zlibStream, events)) assert.deepEqual(frame.subarray(-4), syncFlush)
  for (const { bytes } of Object.values(compressFrames(frames, zlibStream))) {
    assert.deepEqual(bytes.subarray(-4), syncFlush)
  }
})

test('zstd-stream: an event of up to 128 KiB is one block (discord/gateway)', () => {
  const empty = zstdStream.compress('')
  for (const [length, blocks] of [
    [131_072, 1],
    [131_073, 2],
    [262_144, 2],
  ] as const) {
    assert.equal(zstdStream.toFrame('x'.repeat(length), empty).bytes.length, length + 3 * blocks)
  }
})
