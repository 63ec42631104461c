import assert from 'node:assert/strict'
import { createServer } from '@gatehouse/testkit/community'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { allow, makeApplication, signUp } from '../oauth/oauth-testing.ts'

const dirty = '\u202eBot\u200b\u2066 of\u0007 Ann\u2069\ufeff'
const clean = 'Bot of Ann'
const invisible = ['\u200b\u2060', '\u202e\u202c', '\u3164', '\u2800\u2800', '\u00ad']

/** The response contains the cleaned text in `member`, and text without visible characters is rejected. */
async function assertCleaned(
  send: (text: string) => Promise<TestResponse>,
  member: string,
  { path = member, input = dirty, output = clean } = {},
): Promise<void> {
  const reply = await send(input)
  assert.ok(reply.status < 300, reply.text)
  const value = member.split('.').reduce((parent, key) => parent[key], reply.body)
  assert.equal(value, output)
  for (const text of invisible) {
    const refused = await send(text)
    assert.equal(refused.status, 400, `${JSON.stringify(text)}: ${refused.text}`)
    assert.equal(refused.body.code, 'validation_failed')
    assert.equal(refused.body.errors[0].path, path)
  }
}

eachService(
  'cleans the names of applications, servers, channels, roles and webhooks',
  async (_t, service) => {
    const ann = await signUp(service, 'ann')
    const { server, general } = await createServer(ann)
    const json = (method: string, path: string, body: unknown) => ann.client.json(method, path, body)
    const application = { type: 'confidential', redirectUris: [] }
    await assertCleaned(name => json('POST', '/api/applications', { ...application, name }), 'name')
    const { id } = await makeApplication(ann)
    await assertCleaned(name => json('PATCH', `/api/applications/${id}`, { name }), 'name')
    await assertCleaned(name => json('POST', '/api/servers', { name }), 'name')
    await assertCleaned(name => json('PATCH', `/api/servers/${server.id}`, { name }), 'name')
    await assertCleaned(name => json('POST', `/api/servers/${server.id}/channels`, { name }), 'name')
    await assertCleaned(name => json('PATCH', `/api/channels/${general.id}`, { name }), 'name')
    await assertCleaned(topic => json('PATCH', `/api/channels/${general.id}`, { topic }), 'topic')
    const role = { permissions: '0' }
    await assertCleaned(name => json('POST', `/api/servers/${server.id}/roles`, { ...role, name }), 'name')
    await assertCleaned(name => json('POST', `/api/channels/${general.id}/webhooks`, { name }), 'name')
    await assertCleaned(displayName => json('PATCH', '/api/users/@me', { displayName }), 'displayName')
  },
)

eachService('removes all invisible characters from a description except line breaks', async (_t, service) => {
  const ann = await signUp(service, 'ann')
  const { id } = await makeApplication(ann)
  await assertCleaned(
    description => ann.client.json('PATCH', `/api/applications/${id}`, { description }),
    'description',
    {
      input: `${dirty}\r\n\u202esecond\tline\u2028third\n\n\n\nlast `,
      output: `${clean}\nsecond line\nthird\n\nlast`,
    },
  )
  const none = await ann.client.json('PATCH', `/api/applications/${id}`, { description: '  ' })
  assert.equal(none.body.description, '')
})

eachService('checks the length of a name after cleaning it', async (_t, service) => {
  const ann = await signUp(service, 'ann')
  const named = (name: string) => ann.client.json('POST', '/api/servers', { name })
  assert.equal((await named(`${'x'.repeat(100)}${'\u200b'.repeat(50)}`)).status, 201)
  assert.equal((await named('x'.repeat(101))).status, 400)
})

eachService('cleans the name of a bot, labels, descriptions and choices', async (_t, service) => {
  const ann = await signUp(service, 'ann')
  const { general, server } = await createServer(ann)
  const application = await makeApplication(ann)
  const { id } = application
  // The first 32 characters end with a space.
  await ann.client.request('PATCH', `/api/applications/${id}`, { name: `${'x'.repeat(31)} Robot` })
  const made = await ann.client.json('POST', `/api/applications/${id}/bot`, {})
  assert.equal(made.body.bot.displayName, 'x'.repeat(31))
  const headers = { authorization: `Bot ${made.body.token}` }
  const put = (text: string) =>
    service.client().json(
      'PUT',
      '/api/applications/@me/commands',
      [
        {
          name: 'pick',
          description: text,
          options: [
            { type: 'string', name: 'what', description: text, choices: [{ name: text, value: 'a' }] },
          ],
        },
      ],
      headers,
    )
  for (const [member, path] of [
    ['0.description', '[0].description'],
    ['0.options.0.description', '[0].description'],
    ['0.options.0.choices.0.name', '[0].description'],
  ] as const) {
    await assertCleaned(put, member, { path })
  }
  await allow(ann, application, { scope: 'bot', permissions: '0' }, { server_id: server.id })
  await assertCleaned(
    text => {
      const button = { type: 'button', style: 'primary', label: text, customId: 'x' }
      const body = { content: 'Choose', components: [{ type: 'row', components: [button] }] }
      return service.client().json('POST', `/api/channels/${general.id}/messages`, body, headers)
    },
    'components.0.components.0.label',
    { path: 'components[0].components[0].label' },
  )
})
