// oidc-provider with a Map as its storage and the same claims as the service. `node provider.ts CLIENT`, as JSON.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import MemoryAdapter, { setStorage } from 'oidc-provider/lib/adapters/memory_adapter.js'

const client = JSON.parse(process.argv[2] ?? '{}')
// In the Map nothing expires. The default storage has at most 1,000 entries, also of the class itself.
setStorage(new Map())
class MapAdapter extends MemoryAdapter {}
const week = 604_800
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const person = { preferred_username: 'ana', name: 'Ana', picture: 'http://127.0.0.1/images/users/1/default' }
const provider = new Provider('http://127.0.0.1', {
  adapter: MapAdapter,
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [client.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...key, kid: 'peer', use: 'sig', alg: 'RS256' }] },
  scopes: ['openid', 'offline_access', 'identify'],
  claims: { openid: ['sub', ...Object.keys(person)], identify: Object.keys(person) },
  conformIdTokenClaims: false,
  findAccount: async (_context: unknown, id: string) => ({
    accountId: id,
    claims: async () => ({ ...person, sub: id }),
  }),
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  pkce: { required: () => false },
  features: { devInteractions: { enabled: false } },
  ttl: { AccessToken: week, AuthorizationCode: 300, Grant: week, IdToken: 3600, RefreshToken: week * 8 },
})

async function saveCode(scope: string): Promise<string> {
  const grant = new provider.Grant({ accountId: '1', clientId: client.id })
  grant.addOIDCScope(scope)
  const code = new provider.AuthorizationCode({
    accountId: '1',
    client: await provider.Client.find(client.id),
    grantId: await grant.save(),
    scope,
    redirectUri: client.redirectUri,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
    claims: {},
    expiresWithSession: false,
  })
  return code.save()
}

const handle = provider.callback()
const server = createServer(async (request, response) => {
  if (!request.url?.startsWith('/codes?')) return handle(request, response)
  // Codes without a consent page.
  const query = new URLSearchParams(request.url.slice('/codes?'.length))
  const scopes = Array<string>(Number(query.get('count'))).fill(query.get('scope') ?? '')
  response.end(JSON.stringify(await Promise.all(scopes.map(saveCode))))
})
server.listen(Number(process.env.PORT), '127.0.0.1')
