// oidc-provider with a plain Map as its storage, one client, and the claims that the service gives.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { client, type ProviderRequest, person } from './client.ts'
import { listen } from './listen.ts'

interface Kept {
  grantId?: string
  consumed?: number
}

const kept = new Map<string, Kept>()
const ofGrant = new Map<string, string[]>()

/** Nothing expires: there is less to do than with a clock. */
class MapAdapter {
  readonly #model: string
  constructor(model: string) {
    this.#model = model
  }
  #key(id: string): string {
    return `${this.#model}:${id}`
  }
  async upsert(id: string, payload: Kept): Promise<void> {
    const key = this.#key(id)
    kept.set(key, payload)
    if (payload.grantId === undefined) return
    const keys = ofGrant.get(payload.grantId)
    if (keys) keys.push(key)
    else ofGrant.set(payload.grantId, [key])
  }
  async find(id: string): Promise<Kept | undefined> {
    return kept.get(this.#key(id))
  }
  async findByUid(): Promise<undefined> {
    return undefined
  }
  async findByUserCode(): Promise<undefined> {
    return undefined
  }
  async consume(id: string): Promise<void> {
    const payload = kept.get(this.#key(id))
    if (payload) payload.consumed = Math.floor(Date.now() / 1000)
  }
  async destroy(id: string): Promise<void> {
    kept.delete(this.#key(id))
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const key of ofGrant.get(grantId) ?? []) kept.delete(key)
    ofGrant.delete(grantId)
  }
}

const week = 604_800
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const provider = new Provider('http://127.0.0.1', {
  adapter: MapAdapter,
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [client.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...key, kid: 'peer', use: 'sig', alg: 'RS256' }] },
  scopes: ['openid', 'offline_access', 'identify'],
  claims: {
    openid: ['sub', 'preferred_username', 'name', 'picture'],
    identify: ['preferred_username', 'name', 'picture'],
  },
  conformIdTokenClaims: false,
  cookies: { keys: ['bench'] },
  features: { devInteractions: { enabled: false } },
  findAccount: async (_context: unknown, id: string) => ({
    accountId: id,
    claims: async () => ({ ...person, sub: id }),
  }),
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  pkce: { required: () => false },
  ttl: { AccessToken: week, AuthorizationCode: 300, Grant: week, IdToken: 3600, RefreshToken: week * 8 },
})

async function makeCode(scope: string): Promise<string> {
  const grant = new provider.Grant({ accountId: '1', clientId: client.id })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const code = new provider.AuthorizationCode({
    accountId: '1',
    client: await provider.Client.find(client.id),
    grantId,
    scope,
    redirectUri: client.redirectUri,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1000),
    claims: {},
    expiresWithSession: false,
  })
  return code.save()
}

process.on('message', ({ codes, scope }: ProviderRequest) => {
  void Promise.all(Array.from({ length: codes }, () => makeCode(scope))).then(made => process.send?.(made))
})
listen(createServer(provider.callback()))
