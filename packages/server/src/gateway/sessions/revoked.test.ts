import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { resetPasswordByOperator } from '../../accounts/users/index.ts'
import { compose } from '../../compose.ts'
import { createLogger } from '../../http/log.ts'
import { connectUser, createBot, identify } from '../gateway-testing.ts'

/** As the command line does: with a service and a bus of its own. */
async function resetPassword({ config, clock }: TestService, login: string): Promise<void> {
  const command = await compose(config, createLogger('silent'), {
    clock: clock.now,
    timers: clock.timers,
    passwordCosts: { memory: 64, passes: 1 },
  })
  await resetPasswordByOperator(command.parts, { login, password: 'battery staple' })
  await command.close()
}

eachService(
  'a command that revokes sessions closes their connections with 4004 within 5 s, and no others',
  async (_t, service) => {
    const [ada, bob] = [await register(service, 'ada'), await register(service, 'bob')]
    const revoked = await connectUser(service, ada)
    const others = [await connectUser(service, bob), await identify(service, await createBot(service))]
    await resetPassword(service, ada.username)
    service.clock.advance(5000)
    assert.deepEqual(await revoked.closed, { code: 4004, reason: 'signed_out' })
    for (const { socket } of others) assert.equal(socket.readyState, socket.OPEN)
  },
)

test('sessions are read every 5 s while users are connected, each once', async t => {
  const service = await startService(t)
  const { db, clock } = service
  const reads: string[] = []
  const all = db.all.bind(db)
  t.mock.method(db, 'all', (text: TemplateStringsArray, ...values: []) => {
    if (text[0]?.includes('SELECT id FROM valid_sessions WHERE id IN')) reads.push(JSON.stringify(values))
    return all(text, ...values)
  })
  await identify(service, await createBot(service))
  clock.advance(5000)
  assert.deepEqual(reads, [])
  await connectUser(service, await register(service, 'ada'))
  await connectUser(service, await register(service, 'bob'))
  clock.advance(5000)
  await waitUntil(() => reads.length > 0)
  assert.equal(reads.length, 1)
})
