import type { InteractionEvent } from './types.ts'

export interface EndpointOptions {
  /** Raw Ed25519 key in 64 hex characters. */
  publicKey: string | undefined
  /**
   * Resolves when the handler ends. Calls `onFirstResponse` when the service has accepted the first response, if there
   * is one.
   */
  handle(event: InteractionEvent, onFirstResponse: () => void): Promise<void>
}

/**
 * The interactions endpoint of a bot. Returns 401 if the signature is invalid, `{"type":"pong"}` for a ping, and 202
 * for an interaction. The bot sends its responses as separate requests (bots/endpoint-signature).
 */
export function createEndpoint(
  options: EndpointOptions,
): (request: Request, context?: { waitUntil?(work: Promise<unknown>): void }) => Promise<Response> {
  let key: Promise<CryptoKey> | undefined

  return async (request, context) => {
    const { publicKey } = options
    if (publicKey === undefined) {
      throw new TypeError('createBot: `publicKey` is required for `fetch`. Copy it from the console.')
    }
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
    key ??= importKey(publicKey)
    const body = await request.arrayBuffer()
    const isSigned = await hasValidSignature(await key, request.headers, body)
    if (!isSigned) return new Response(null, { status: 401 })

    const event = parseEvent(body)
    if (event === undefined) return new Response(null, { status: 400 })
    if (event.type === 'ping') return Response.json({ type: 'pong' })
    // Until the first response, or the end of a handler without one.
    await new Promise<void>(resolve => {
      const handled = options.handle(event, resolve).finally(resolve)
      context?.waitUntil?.(handled)
    })
    return new Response(null, { status: 202 })
  }
}

function importKey(publicKey: string): Promise<CryptoKey> {
  const raw = fromHex(publicKey, 32)
  if (!raw) throw new TypeError('createBot: `publicKey` must be 64 hex characters.')
  return crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
}

/** Verifies the signature over the timestamp followed by the raw body. */
async function hasValidSignature(key: CryptoKey, headers: Headers, body: ArrayBuffer): Promise<boolean> {
  const signature = fromHex(headers.get('x-signature-ed25519') ?? '', 64)
  const timestamp = headers.get('x-signature-timestamp')
  if (!signature || timestamp === null) return false
  const signed = await new Blob([timestamp, body]).arrayBuffer()
  return crypto.subtle.verify('Ed25519', key, signature, signed)
}

function fromHex(text: string, bytes: number): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== 2 * bytes || !/^[0-9a-f]*$/i.test(text)) return undefined
  return Uint8Array.from({ length: bytes }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  )
}

function parseEvent(body: ArrayBuffer): InteractionEvent | { type: 'ping' } | undefined {
  try {
    // The service signed the body, so its type is not validated.
    return JSON.parse(new TextDecoder().decode(body)) as InteractionEvent | { type: 'ping' }
  } catch {
    return undefined
  }
}
