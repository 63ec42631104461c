// The upper limit for a token endpoint on this machine: parses the form, signs an ID token, and responds.
import { generateKeyPairSync } from 'node:crypto'
import { importPKCS8, SignJWT } from 'jose'
import { createBodyServer, listen, respondJson } from './listen.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = await importPKCS8(String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 'RS256')

const server = createBodyServer((body, response) => {
  const fields = new URLSearchParams(body.toString())
  void new SignJWT({ sub: '1000000000000000000', aud: fields.get('client_id') ?? '' })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'bare' })
    .sign(key)
    .then(idToken => respondJson(response, { access_token: 'a', refresh_token: 'r', id_token: idToken }))
})
listen(server)
