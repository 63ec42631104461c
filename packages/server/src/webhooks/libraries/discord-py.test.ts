import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPython } from '@gatehouse/testkit/python'
import { eachService } from '@gatehouse/testkit/service'
import { setUpWebhook } from '../webhooks-testing.ts'

const run = promisify(execFile)
eachService(
  'discord.py sends, fetches, edits and deletes',
  async (t, service) => {
    const python = await findPython('discord', 'requests')
    if (python === undefined) return t.skip('discord.py is not installed (python3-discord, python3-requests)')
    const setup = await setUpWebhook(service)
    const { stdout } = await run(python, [join(import.meta.dirname, 'discord-py.fixture.py')], {
      env: {
        API_URL: `${service.url}/api/v10`,
        WEBHOOK_ID: setup.webhook.id,
        WEBHOOK_TOKEN: setup.webhook.token,
        MENTIONED: setup.owner.id,
      },
    })
    const seen = JSON.parse(stdout)
    for (const mode of ['sync', 'async']) {
      const sent = {
        content: `${mode} <@${setup.owner.id}>`,
        author: 'CI',
        avatar: true,
        embeds: [['Build 7', 'rich', '2026-01-15T12:00:00+00:00']],
        mentions: ['ana'],
        edited: false,
      }
      const [name, posted, fetched, edited, missing, invalid] = seen[mode]
      assert.equal(name, 'Alerts')
      assert.deepEqual(posted, sent)
      assert.deepEqual(fetched, sent)
      assert.deepEqual([edited.content, edited.embeds, edited.edited], ['edited', [], true])
      assert.deepEqual(missing, ['NotFound', 404, 10008, 'Unknown Message'])
      assert.deepEqual(invalid, [
        'HTTPException',
        400,
        50035,
        'Invalid Form Body\nIn content: Must be 2000 or fewer in length.',
      ])
    }
  },
  { env: { RATE_LIMITS: 'off' } },
)
