import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

type Headers = Readonly<Record<string, string>>

/** A response that is the same for every request, compressed once. */
export interface Prepared {
  /** 304 if the client has it already (RFC 9110 §13.1.2). */
  respondTo(
    request: Pick<FastifyRequest, 'headers'>,
  ): { status: 200; body: Uint8Array; headers: Headers } | { status: 304; headers: Headers }
}

export async function createPrepared(text: string, contentType: string): Promise<Prepared> {
  const plain = Buffer.from(text)
  const encoded = {
    br: await promisify(brotliCompress)(plain),
    gzip: await promisify(gzip)(plain),
  }
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)

  return {
    respondTo({ headers }) {
      const encoding = chooseEncoding(headers['accept-encoding'])
      // Each encoding is another representation (RFC 9110 §8.8.3).
      const etag = `"${hash}${encoding === undefined ? '' : `-${encoding}`}"`
      const common = { etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' }
      if (matches(headers['if-none-match'], etag)) return { status: 304, headers: common }
      return {
        status: 200,
        body: encoding === undefined ? plain : encoded[encoding],
        headers: {
          ...common,
          'content-type': contentType,
          ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        },
      }
    },
  }
}

/** The best encoding that the client accepts (RFC 9110 §12.5.3). */
function chooseEncoding(accepted = ''): 'br' | 'gzip' | undefined {
  const codings = accepted
    .toLowerCase()
    .split(',')
    .map(item => item.trim().split(/\s*;\s*/))
    .filter(([, weight]) => weight === undefined || !/^q=0(\.0*)?$/.test(weight))
    .map(([name]) => name)
  return (['br', 'gzip'] as const).find(name => codings.includes(name))
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some(item => item.trim().replace(/^W\//, '') === etag)
}
