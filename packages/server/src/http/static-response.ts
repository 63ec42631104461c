import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

type Headers = Readonly<Record<string, string>>

/** A response that is the same for every request, compressed at most once for each encoding. */
export interface StaticResponse {
  /** 304 if the client has it already (RFC 9110 §13.1.2). */
  respondTo(
    request: Pick<FastifyRequest, 'headers'>,
  ): Promise<{ status: 200; body: Uint8Array; headers: Headers } | { status: 304; headers: Headers }>
}

/** `headers` are further ones. `quality` is that of Brotli: the default is small and slow. */
export function createStaticResponse(
  text: string,
  contentType: string,
  { headers: further = {}, quality = 11 }: { headers?: Headers; quality?: number } = {},
): StaticResponse {
  const plain = Buffer.from(text)
  const encode = {
    br: () => promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    gzip: () => promisify(gzip)(plain),
  }
  const encoded: Partial<Record<keyof typeof encode, Promise<Buffer>>> = {}
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  const vary = ['Accept-Encoding', ...(further.vary === undefined ? [] : [further.vary])].join(', ')

  return {
    async respondTo({ headers }) {
      const encoding = chooseEncoding(headers['accept-encoding'])
      // Each encoding is another representation (RFC 9110 §8.8.3).
      const etag = `"${hash}${encoding === undefined ? '' : `-${encoding}`}"`
      const common = { 'cache-control': 'no-cache', ...further, etag, vary }
      if (matches(headers['if-none-match'], etag)) return { status: 304, headers: common }
      if (encoding !== undefined) encoded[encoding] ??= encode[encoding]()
      return {
        status: 200,
        body: encoding === undefined ? plain : ((await encoded[encoding]) ?? plain),
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
