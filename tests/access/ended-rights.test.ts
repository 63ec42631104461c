import assert from 'node:assert/strict'
import { bodySeconds } from '@gatehouse/protocol/limits'
import { openDump } from '@gatehouse/testkit/dump'
import { openLateBody } from '@gatehouse/testkit/late-body'
import { eachService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { type Caller, callerOf, encodeRequest, type Row, readTable } from './access.ts'
import { partsOf } from './requests.ts'
import { allPermissions, type Right, rights, type Waiting } from './rights.ts'
import { createWorld, signIn, type World } from './world.ts'

/** The service reads a body also if the route has none. */
const rows = readTable().filter(({ method }) => method !== 'GET')

/** For everyone, or what signs in or out. Tokens of mails and of logins are used up in one statement. */
const withoutRight = `
POST /api/v10/webhooks/:webhookId
POST /api/auth/register
POST /api/auth/login
POST /api/auth/login/second-factor
POST /api/auth/login/second-factor/options
POST /api/auth/email/verify
POST /api/auth/password/forgot
POST /api/auth/password/reset
POST /api/oauth2/token/revoke
POST /oauth2/authorize
POST /oauth2/logout
POST /oauth2/logout/confirm
POST /login
POST /login/passkey
POST /login/second-factor
POST /register
POST /forgot-password
POST /reset-password
POST /verify-email
POST /logout`
  .trim()
  .split('\n')

/** Routes that the table of rights concerns. */
const concerned = new Set(
  rights.flatMap(({ refusal }) => rows.filter(row => refusal(row) !== undefined).map(({ route }) => route)),
)

eachService(
  'a request whose right ends before its body is complete is refused, and changes nothing (limits/late-body)',
  async (t, service) => {
    assert.deepEqual(
      rows.map(({ route }) => route).filter(route => !concerned.has(route)),
      rows.map(({ route }) => route).filter(route => withoutRight.includes(route)),
      'a route that changes something is in the table of rights',
    )
    const world = await createWorld(service)
    await world.setPermission(allPermissions)
    const dump = await openDump(t, service, ['nodes', 'webhook_deliveries'])
    /** The service starts this timer for a body that is not complete, when it has checked what precedes the body. */
    let started = 0
    const after = service.clock.timers.after
    t.mock.method(service.clock.timers, 'after', (ms: number, run: () => void) => {
      if (ms === bodySeconds * 1000) started++
      return after(ms, run)
    })

    async function open(row: Row, right: Right, caller: Caller, expected: string): Promise<Waiting> {
      const parts = await partsOf(world, row, right.column)
      const form = row.path === '/oauth2/consent' ? { ...parts.form, decision: 'allow' } : parts.form
      const { url, ...request } = await encodeRequest(world, row, caller, { ...parts, ...(form && { form }) })
      const headers = { 'content-type': 'application/json', ...request.headers }
      // An empty form has no part that could be late.
      const init = { method: row.method, headers, body: request.body === '' ? 'x=' : (request.body ?? '{}') }
      return { row, parts, expected, body: await openLateBody(caller.client, url, init) }
    }

    const differences: string[] = []
    for (const right of rights) {
      const user = world.users[right.column === 'user' ? 'other' : (right.column as keyof World['users'])]
      const session = user && { client: await signIn(service, user), headers: {} }
      started = 0
      const waiting: Waiting[] = []
      for (const row of rows) {
        const expected = right.refusal(row)
        if (expected === undefined) continue
        waiting.push(await open(row, right, session ?? (await callerOf(world, row, right.column)), expected))
      }
      assert.notEqual(waiting.length, 0, right.name)
      const early: string[] = []
      for (const { row, body } of waiting)
        void body.response.then(({ status, text }) => early.push(`${row.route}: ${status} ${text}`))
      await waitUntil(() => started >= waiting.length || early.length > 0)
      assert.deepEqual(early, [], right.name)
      await right.end(world, waiting, session ?? { client: service.client(), headers: {} })
      const before = await dump()
      for (const { row, expected, body } of waiting) {
        const { status, text } = await body.complete()
        if (String(status) !== expected)
          differences.push(`${right.name}: ${row.route}: ${status} instead of ${expected}: ${text}`)
      }
      const changed = await dump()
      for (const [table, stored] of Object.entries(before))
        assert.deepEqual(changed[table], stored, `${right.name}: ${table}`)
      await right.restore?.(world)
    }
    assert.deepEqual(differences, [])
  },
)
