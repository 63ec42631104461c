import assert from 'node:assert/strict'
import { readPlacedSecret } from '../kit/secret.ts'
import { eachService } from '../testing.ts'
import { findCode, findGrant, findUsed, type Placed } from './store.ts'
import { sweepOAuth } from './sweep.ts'
import { codeFor, makeApplication, refresh, signUp, tokensFor, userinfo } from './testing.ts'

const day = 24 * 60 * 60_000

function placed(prefix: 'gac_' | 'grt_', text: string): Placed {
  const secret = readPlacedSecret(prefix, text)
  assert.ok(secret)
  return secret
}

eachService('what has expired is deleted in batches, what holds stays', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { db, clock } = service
  const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 0 }, 2)
  const codes = [
    await codeFor(ada, app),
    await codeFor(ada, app),
    await codeFor(ada, app),
    await codeFor(ada, app),
  ]
  const first = await tokensFor(service, ada, app)
  await sweep()
  for (const code of codes) assert.ok(await findCode(db, placed('gac_', code).id))
  assert.equal((await userinfo(service, first.access_token)).status, 200)
  clock.advance(5 * 60_000)
  await sweep()
  for (const code of codes) assert.equal(await findCode(db, placed('gac_', code).id), undefined)
  clock.advance(day)
  const second = (await refresh(service, app, first.refresh_token)).body
  clock.advance(29 * day)
  const third = (await refresh(service, app, second.refresh_token)).body
  clock.advance(30 * day)
  await sweep()
  assert.equal(await findUsed(db, placed('grt_', first.refresh_token)), undefined)
  assert.ok(await findUsed(db, placed('grt_', second.refresh_token)))
  assert.ok(await findGrant(db, placed('grt_', third.refresh_token).id))
  clock.advance(30 * day)
  await sweep()
  assert.equal(await findGrant(db, placed('grt_', third.refresh_token).id), undefined)
})

eachService(
  'D72: a sealed successor is kept for the grace time only',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { db, clock } = service
    const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 10 })
    const first = await tokensFor(service, ada, app)
    await refresh(service, app, first.refresh_token)
    clock.advance(9_999)
    await sweep()
    const kept = await findUsed(db, placed('grt_', first.refresh_token))
    assert.match(kept?.successor ?? '', /^v1\./)
    assert.doesNotMatch(kept?.successor ?? '', /g[ar]t_/)
    clock.advance(1)
    await sweep()
    assert.equal((await findUsed(db, placed('grt_', first.refresh_token)))?.successor, null)
  },
  { env: { REFRESH_GRACE_SECONDS: '10' } },
)
