// oidc-provider with a Map as its adapter, one client, and the same claims as the service.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { client, type ProviderRequest, person } from './client.ts'
import { listen } from './listen.ts'

interface Entry {
  grantId?: string
  consumed?: number
}

const entries = new Map<string, Entry>()
const keysByGrant = new Map<string, string[]>()

/** Entries never expire, which favours the peer. */
class MapAdapter {
  readonly #model: string
  constructor(model: string) {
    this.#model = model
  }
  #key(id: string): string {
    return `${this.#model}:${id}`
  }
  async upsert(id: string, payload: Entry): Promise<void> {
    const key = this.#key(id)
    entries.set(key, payload)
    if (payload.grantId === undefined) return
    const keys = keysByGrant.get(payload.grantId)
    if (keys) keys.push(key)
    else keysByGrant.set(payload.grantId, [key])
  }
  async find(id: string): Promise<Entry | undefined> {
    return entries.get(this.#key(id))
  }
  async findByUid(): Promise<undefined> {
    return undefined
  }
  async findByUserCode(): Promise<undefined> {
    return undefined
  }
  async consume(id: string): Promise<void> {
    const payload = entries.get(this.#key(id))
    if (payload) payload.consumed = Math.floor(Date.now() / 1000)
  }
  async destroy(id: string): Promise<void> {
    entries.delete(this.#key(id))
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const key of keysByGrant.get(grantId) ?? []) entries.delete(key)
    keysByGrant.delete(grantId)
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

async function saveCode(scope: string): Promise<string> {
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
  void Promise.all(Array.from({ length: codes }, () => saveCode(scope))).then(list => process.send?.(list))
})
listen(createServer(provider.callback()))
