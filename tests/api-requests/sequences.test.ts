import { eachService } from '@gatehouse/testkit/service'
import { countStatuses, eachSeed } from './run.ts'
import { community } from './sequences/community.ts'
import { interactions } from './sequences/interactions.ts'
import { oauth } from './sequences/oauth.ts'
import { sessions } from './sequences/sessions.ts'
import { runSequence, type Sequence } from './sequences/steps.ts'
import { webhooks } from './sequences/webhooks.ts'

function testSequence<State extends object>(sequence: Sequence<State>): void {
  const statuses = countStatuses()
  eachService(
    `${sequence.name}: the service responds as the state says after any steps`,
    async (t, service) => {
      await eachSeed(t, seed => runSequence(service, sequence, { seed, runs: 1, length: 40 }))
      statuses.report(t)
    },
    { onExchange: statuses.onExchange, env: { RATE_LIMITS: 'off' } },
  )
}

testSequence(community)
testSequence(webhooks)
testSequence(interactions)
testSequence(oauth)
testSequence(sessions)
