import assert from 'node:assert/strict'
import { sweepDuring } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { type ParsedToken, parseToken } from '../kit/secret.ts'
import { findExchangedGrant, findUsedRefreshToken } from './grant-store.ts'
import { sweepOAuth } from './oauth-sweep.ts'
import { codeFor, makeApplication, refresh, signUp, tokensFor, userinfo } from './oauth-testing.ts'

const day = 24 * 60 * 60_000

function locatorOf(prefix: 'gac_' | 'grt_', text: string): ParsedToken {
  const locator = parseToken(prefix, text)
  assert.ok(locator)
  return locator
}

eachService('the sweep deletes expired rows in batches and keeps the others', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { db, clock } = service
  const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 0 }, 2)
  const hasCode = async (code: string) =>
    (await db.get`
      SELECT 1 AS one FROM oauth_grants WHERE id = ${locatorOf('gac_', code).id} AND refresh_hash IS NULL`) !==
    undefined
  const codes = [
    await codeFor(ada, app),
    await codeFor(ada, app),
    await codeFor(ada, app),
    await codeFor(ada, app),
  ]
  const first = await tokensFor(service, ada, app)
  await sweep()
  for (const code of codes) assert.equal(await hasCode(code), true)
  assert.equal((await userinfo(service, first.access_token)).status, 200)
  clock.advance(5 * 60_000)
  await sweep()
  for (const code of codes) assert.equal(await hasCode(code), false)
  clock.advance(day)
  const second = (await refresh(service, app, first.refresh_token)).body
  clock.advance(29 * day)
  const third = (await refresh(service, app, second.refresh_token)).body
  clock.advance(30 * day)
  await sweep()
  assert.equal(await findUsedRefreshToken(db, locatorOf('grt_', first.refresh_token)), undefined)
  assert.ok(await findUsedRefreshToken(db, locatorOf('grt_', second.refresh_token)))
  assert.ok(await findExchangedGrant(db, locatorOf('grt_', third.refresh_token).id))
  clock.advance(30 * day)
  await sweep()
  assert.equal(await findExchangedGrant(db, locatorOf('grt_', third.refresh_token).id), undefined)
})

eachService(
  'sign-in/refresh-grace: the sealed token response is deleted after the grace period',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { db, clock } = service
    const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 10 })
    const first = await tokensFor(service, ada, app)
    await refresh(service, app, first.refresh_token)
    clock.advance(9_999)
    await sweep()
    const used = await findUsedRefreshToken(db, locatorOf('grt_', first.refresh_token))
    assert.match(used?.successor ?? '', /^v1\./)
    assert.doesNotMatch(used?.successor ?? '', /g[ar]t_/)
    clock.advance(1)
    await sweep()
    assert.equal((await findUsedRefreshToken(db, locatorOf('grt_', first.refresh_token)))?.successor, null)
  },
  { env: { REFRESH_GRACE_SECONDS: '10' } },
)

eachService(
  'sign-in/refresh-grace: the sweep keeps the token response of an application with refreshGrace for 10 s',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await ada.client.request('PATCH', `/api/applications/${app.id}`, { refreshGrace: true })
    const { db, clock } = service
    const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 0 })
    const first = await tokensFor(service, ada, app)
    const second = (await refresh(service, app, first.refresh_token)).body
    clock.advance(9_999)
    await sweep()
    assert.deepEqual((await refresh(service, app, first.refresh_token)).body, second)
    clock.advance(1)
    await sweep()
    assert.equal((await findUsedRefreshToken(db, locatorOf('grt_', first.refresh_token)))?.successor, null)
  },
)

eachService('the sweep keeps a grant that is refreshed at the same time', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const { refresh_token } = await tokensFor(service, ada, await makeApplication(ada))
  const { db, clock } = service
  const { id } = locatorOf('grt_', refresh_token)
  const later = clock.now() + 60 * day
  await sweepDuring(
    db,
    tx => tx.run`UPDATE oauth_grants SET expires_at = ${later + day} WHERE id = ${id}`,
    () => sweepOAuth({ db, clock: () => later, refreshGraceSeconds: 0 }),
  )
  assert.ok(await findExchangedGrant(db, id))
})
