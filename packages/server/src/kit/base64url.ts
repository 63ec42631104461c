/** Without padding (RFC 4648 §5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

/**
 * Returns undefined for text that `encodeBase64url` does not produce: padding, other characters, or unused bits of the
 * last character that are not zero (RFC 4648 §3.5). So each value has exactly one encoding.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
