import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { eachWebhook, errorCodeAt, multipartBody, multipartField } from '../webhooks-testing.ts'

const star = {
  action: 'created',
  repository: { full_name: 'octo/hello', html_url: 'https://github.com/octo/hello', stargazers_count: 1 },
  sender: { login: 'mona', html_url: 'https://github.com/mona' },
}

eachWebhook(
  'returns 204 and posts an event from JSON or a form as an embed, but no ping or unknown event (webhooks/github)',
  async setup => {
    const { webhook, anonymous, owner, general, postRaw, path } = setup
    const { id, token } = webhook
    const send = (event: string, body: unknown) =>
      anonymous.json('POST', `/api/webhooks/${id}/${token}/github`, body, { 'x-github-event': event })
    for (const [event, body] of [
      ['star', star],
      ['ping', { zen: 'x', hook_id: 1 }],
      ['from_the_future', {}],
    ] as const) {
      const reply = await send(event, body)
      assert.deepEqual([reply.status, reply.text], [204, ''])
    }
    const form = await anonymous.send(`${path}/github`, {
      method: 'POST',
      headers: { 'x-github-event': 'star', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload: JSON.stringify(star) }).toString(),
    })
    assert.equal(form.status, 204)
    const { body } = await owner.client.get(`/api/channels/${general.id}/messages`)
    assert.equal(body.length, 2)
    assert.deepEqual(body[0].embeds, body[1].embeds)
    assert.deepEqual(
      [body[0].author.displayName, body[0].embeds[0].title, body[0].embeds[0].author.name],
      ['Alerts', '[octo/hello] New star added', 'mona'],
    )
    const withoutHeader = await postRaw(JSON.stringify(star), 'application/json', '/github')
    assert.deepEqual([withoutHeader.status, withoutHeader.body.code], [400, 50035])
    assert.ok(errorCodeAt(withoutHeader, 'X-GitHub-Event'))
  },
)

eachWebhook('posts an event with the same X-GitHub-Delivery once in 15 minutes', async setup => {
  const { anonymous, path, service, listContents } = setup
  const send = (delivery: string) =>
    anonymous.json('POST', `${path}/github`, star, {
      'x-github-event': 'star',
      'x-github-delivery': delivery,
    })
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => send('72d3162e-cc78-11e3-81ab-4c9367dc0958')),
  )
  assert.deepEqual([...new Set(replies.map(reply => reply.status))], [204])
  assert.equal((await listContents()).length, 1)
  await send('other')
  assert.equal((await listContents()).length, 2)
  service.clock.advance(15 * 60_000)
  await send('other')
  assert.equal((await listContents()).length, 3)
  // A malformed id is not remembered.
  await send('a b > *')
  await send('a b > *')
  assert.equal((await listContents()).length, 5)
})

eachWebhook(
  'returns 400, 404 and 413 in the format of Discord',
  async ({ anonymous, path, webhook, listContents }) => {
    const send = (body: string, to = `${path}/github`) =>
      anonymous.send(to, {
        method: 'POST',
        headers: { 'x-github-event': 'star', 'content-type': 'application/json' },
        body,
      })
    for (const [body, status, code] of [
      ['{', 400, 50109],
      ['[]', 400, 50035],
      ['', 400, 50035],
      ['x'.repeat(8 * 1024 * 1024 + 1), 413, 40005],
    ] as const) {
      const reply = await send(body)
      assert.deepEqual([reply.status, reply.body.code], [status, code], body.slice(0, 20))
    }
    const unknown = await send('{}', `/api/webhooks/${webhook.id}/x/github`)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 10015])
    assert.deepEqual(await listContents(), [])
  },
)

function push(commits: number, files: number) {
  const names = Array.from({ length: files }, (_, i) => `packages/server/src/some/folder/file-${i}.ts`)
  return {
    ref: 'refs/heads/main',
    repository: { full_name: 'octo/hello' },
    sender: { login: 'mona' },
    commits: Array.from({ length: commits }, (_, i) => ({
      id: `${i}`.padStart(40, 'a'),
      message: `Commit ${i} says "added":["x"]`,
      author: { name: 'Mona' },
      added: names,
      removed: [],
      modified: ['quote " and \\', ']'],
    })),
  }
}

eachWebhook(
  'posts a push with 60,000 changed files, as JSON and as a form of either type, up to 8 MiB (webhooks/github-size)',
  async ({ anonymous, path, owner, general }) => {
    const send = (body: string, type: string) =>
      anonymous.send(`${path}/github`, {
        method: 'POST',
        headers: { 'x-github-event': 'push', 'content-type': type },
        body,
      })
    const text = JSON.stringify(push(20, 3000))
    assert.ok(text.length > 2_000_000 && text.length < 8 * 1024 * 1024)
    for (const [body, type] of [
      [text, 'application/json'],
      [JSON.stringify(push(20, 3000), null, 1), 'application/json'],
      [new URLSearchParams({ payload: text }).toString(), 'application/x-www-form-urlencoded'],
      [multipartBody([multipartField('payload', text)]), 'multipart/form-data; boundary=xx'],
    ] as const) {
      const reply = await send(body, type)
      assert.equal(reply.status, 204, reply.text)
      const [message] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
      assert.equal(message.embeds[0].title, '[octo/hello:main] 20 new commits')
      assert.match(message.embeds[0].description, /Commit 9 says "added":\["x"\] – Mona\nand 10 more$/)
    }
    const tooLarge = await send(`{"x":"${'x'.repeat(8 * 1024 * 1024)}"}`, 'application/json')
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [413, 40005])
    assert.equal(tooLarge.body.message, 'The body is larger than 8 MiB.')
    const values = await send(`{"x":[${'1,'.repeat(60_000)}1]}`, 'application/json')
    assert.deepEqual([values.status, values.body.code], [413, 40005])
    assert.equal(values.body.message, 'The body has more than 50000 values.')
  },
)

eachWebhook(
  'reads the body of a large event only with a valid token, and 8 at the same time (webhooks/github-size)',
  async ({ service, path }) => {
    const { port } = new URL(service.url)
    const start = (target: string) =>
      new Promise<{ socket: Socket; head: Promise<string> }>((resolve, reject) => {
        const socket = connect(Number(port), 'localhost', () => {
          socket.write(
            `POST ${target}/github HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: ` +
              'push\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n\r\n{',
          )
          const head = new Promise<string>(done =>
            socket.once('data', data => done(String(data).slice(0, 12))),
          )
          resolve({ socket, head })
        })
        socket.on('error', reject)
      })
    const wrong = await start(`${path.slice(0, -4)}AAAA`)
    assert.equal(await wrong.head, 'HTTP/1.1 404')
    wrong.socket.destroy()
    const sockets = await Promise.all(Array.from({ length: 9 }, () => start(path)))
    assert.equal(await Promise.any(sockets.map(({ head }) => head)), 'HTTP/1.1 503')
    for (const { socket } of sockets) socket.destroy()
  },
)
