import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { createSecret, createToken, createWebhookToken } from '../kit/secret.ts'
import { makeApplication } from '../oauth/oauth-testing.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

eachService(
  'a secret in the wrong place is named, and never repeated (community/error-hints)',
  async (_t, service) => {
    const client = service.client()
    const tokens = {
      bot: createSecret('gbt_'),
      access: createToken('gat_', '1234567890123456789'),
      secret: createSecret('gcs_'),
      webhook: createWebhookToken(),
    }
    for (const [authorization, path, hint] of [
      [`Bearer ${tokens.bot}`, '/api/users/@me', /a bot token, which belongs after "Bot"/],
      [`Bot ${tokens.access}`, '/api/users/@me', /an access token, which belongs after "Bearer"/],
      [`Bot ${tokens.secret}`, '/api/users/@me', /a client secret, which belongs in client_secret/],
      [`Bot ${tokens.webhook}`, '/api/users/@me', /a webhook token, which belongs in the URL/],
      [`Bot "${tokens.webhook}"`, '/api/v10/users/@me', /^401: Unauthorized\. .* a webhook token/],
      [tokens.bot, '/api/v10/users/@me', /^401: Unauthorized\. .* a bot token, which belongs after "Bot"/],
      [`Bearer ${tokens.bot}`, '/api/oauth2/userinfo', /^This is a bot token, which belongs after 'Bot'/],
    ] as const) {
      const reply = await client.get(path, { authorization })
      assert.equal(reply.status, 401, authorization)
      assert.match(reply.body.message ?? reply.body.error_description, hint)
      for (const token of Object.values(tokens)) assert.ok(!reply.text.includes(token))
    }
    // A token of the right kind that does not exist, and text that is no secret.
    for (const authorization of [`Bot ${tokens.bot}`, 'Bot x']) {
      const { body } = await client.get('/api/users/@me', { authorization })
      assert.match(body.message, /^The token is invalid\. Send /)
    }
  },
)

eachService(
  'the token endpoint names a secret of another kind (community/error-hints)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const { id, secret = '' } = await makeApplication(owner)
    const request = (fields: Record<string, string>) =>
      service.client().send('/api/oauth2/token', {
        method: 'POST',
        headers: form,
        body: new URLSearchParams({ client_id: id, client_secret: secret, ...fields }).toString(),
      })
    const refresh = { grant_type: 'refresh_token', refresh_token: createToken('gat_', id) }
    for (const [fields, status, error, hint] of [
      [{ ...refresh, client_secret: createSecret('gbt_') }, 401, 'invalid_client', /a bot token/],
      [refresh, 400, 'invalid_grant', /an access token/],
      [
        { grant_type: 'authorization_code', code: createToken('grt_', id) },
        400,
        'invalid_grant',
        /a refresh token/,
      ],
    ] as const) {
      const reply = await request(fields)
      assert.deepEqual([reply.status, reply.body.error], [status, error])
      assert.match(reply.body.error_description, hint)
    }
  },
)

eachService(
  'a body of another type names the header to send (community/error-hints)',
  async (_t, service) => {
    const { client } = await register(service, 'owner')
    const post = (path: string, body: string, headers: Record<string, string>) =>
      client.send(path, { method: 'POST', headers, body })
    const server = JSON.stringify({ name: 'Server' })
    for (const headers of [form, { 'content-type': 'text/plain' }]) {
      const reply = await post('/api/servers', server, headers)
      assert.deepEqual([reply.status, reply.body.code], [415, 'unsupported_media_type'])
      assert.match(reply.body.message, /Send the header Content-Type: application\/json\./)
    }
    const token = await post('/api/oauth2/token', '{"grant_type":"refresh_token"}', form)
    assert.deepEqual([token.status, token.body.error], [400, 'invalid_request'])
    assert.match(token.body.error_description, /The body is JSON\. Send a form instead/)
    const asJson = await post('/api/oauth2/token', '{}', { 'content-type': 'application/json' })
    assert.equal(asJson.status, 400)
    assert.match(asJson.body.error_description, /Content-Type: application\/x-www-form-urlencoded/)
  },
)

eachService(
  'a path that no route has differs from an object that is missing (community/error-hints)',
  async (_t, service) => {
    const { client } = await register(service, 'owner')
    const { server } = await createServer(await register(service, 'other'))
    const missing = 'This resource does not exist, or you may not view it.'
    for (const [path, message] of [
      ['/api/servers/1000000000000000001', missing],
      [`/api/servers/${server.id}`, missing],
      ['/api/nothing', 'The service has no such path.'],
      ['/users/@me', 'The service has no such path. Use /api/users/@me.'],
      ['/api/users/@me/', 'The service has no such path. Use /api/users/@me.'],
      ['/api//users/@me', 'The service has no such path. Use /api/users/@me.'],
      ['/api/Users/@me', 'The service has no such path. Use /api/users/@me.'],
      ['/api/v1/users/@me', 'The service has no such path. Use /api/v10/users/@me.'],
      ['/api/v1/servers/1', 'The service has no such path. Use /api/servers/:id.'],
      [`/api/servers/${server.id}/secret-part/`, 'The service has no such path.'],
    ] as const) {
      const reply = await client.get(path)
      assert.deepEqual([reply.status, reply.body], [404, { code: 'not_found', message }], path)
    }
    const posted = await client.json('POST', '/oauth2/token', {})
    // In the format of the pages, whose path it has.
    assert.equal(posted.status, 404)
    for (const text of ['The service has no such path.', 'Use /api/oauth2/token.']) {
      assert.ok(posted.text.includes(text), text)
    }
    const method = await client.json('PUT', '/api/users/@me', {})
    assert.equal(method.status, 405)
    assert.match(method.body.message, /^PUT is not supported here\. Use GET, HEAD, PATCH/)
    const discord = await client.get('/api/v10/users/@me/')
    assert.deepEqual(discord.body, { code: 0, message: '404: Not Found. Use /api/v10/users/@me.' })
  },
)
