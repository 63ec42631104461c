import { generateKeyPairSync, sign } from 'node:crypto'

interface Certificate {
  cert: string
  key: string
}

/** Creates a self-signed certificate for a host name that does not expire (RFC 5280 section 4.1, RFC 8410). */
export function createCertificate(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const algorithm = der(0x30, der(0x06, [0x2b, 0x65, 0x70]))
  const commonName = der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))
  const subject = der(0x30, der(0x31, commonName))
  const time = (text: string) => der(0x18, Buffer.from(text))
  const alternative = der(0x04, der(0x30, der(0x82, Buffer.from(name))))
  const extension = der(0x30, der(0x06, [0x55, 0x1d, 0x11]), alternative)
  const content = der(
    0x30,
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    subject,
    der(0x30, time('20000101000000Z'), time('99991231235959Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  )
  const signature = der(0x03, [0], sign(null, content, privateKey))
  const base64 = der(0x30, content, algorithm, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** DER encoding of one value: tag, length, contents (X.690 section 8.1). */
function der(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map(part => Buffer.from(part)))
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}
