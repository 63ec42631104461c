// The upper limit for a token endpoint on this machine: parses the form, signs an ID token, and responds.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { importPKCS8, SignJWT } from 'jose'
import { listen } from './listen.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = await importPKCS8(String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 'RS256')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const fields = new URLSearchParams(Buffer.concat(chunks).toString())
    void new SignJWT({ sub: '1000000000000000000', aud: fields.get('client_id') ?? '' })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'bare' })
      .sign(key)
      .then(idToken => {
        const body = JSON.stringify({ access_token: 'a', refresh_token: 'r', id_token: idToken })
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
          .end(body)
      })
  })
})
listen(server)
