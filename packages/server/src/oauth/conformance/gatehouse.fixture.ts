import type { TestService } from '@gatehouse/testkit/service'
import { decide, follow, makeApplication, signUp } from '../oauth-testing.ts'
import type { AuthorizationServer } from './authorization-server.fixture.ts'

export async function gatehouse(service: TestService): Promise<AuthorizationServer> {
  const ada = await signUp(service, 'ada')
  const { body } = await service.client().get('/.well-known/openid-configuration')
  const client = async (type: 'confidential' | 'public') => {
    const { id, secret, redirectUri } = await makeApplication(ada, { type })
    return { id, secret, redirectUri }
  }
  return {
    issuer: service.url,
    metadata: body,
    confidential: await client('confidential'),
    other: await client('confidential'),
    public: await client('public'),
    subject: ada.id,
    scope: 'openid identify email',
    async authorize(query) {
      const reply = await follow(ada.client, await ada.client.get(`/oauth2/authorize?${query}`))
      return reply.status === 200 ? decide(ada.client, reply) : reply
    },
    send: (url, init = {}) => service.client().send(url, init),
  }
}
