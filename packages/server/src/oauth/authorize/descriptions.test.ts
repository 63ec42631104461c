import assert from 'node:assert/strict'
import { eachService } from '../../testing.ts'
import { authorizePath, challenge, makeApplication, parametersOf, signUp } from '../testing.ts'

eachService(
  'checks 25 to 27: what an error redirect says is of the allowed characters, whatever was sent',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const odd = 'é"\\\u{1f600}\n<x>'
    for (const fields of [
      { response_type: odd },
      { response_mode: odd },
      { scope: odd },
      { prompt: odd },
      { max_age: odd },
      { code_challenge: odd },
      { code_challenge: challenge, code_challenge_method: odd },
      { id_token_hint: odd },
      { request: odd },
      { registration: odd },
      { scope: 'bot', permissions: odd },
      { scope: 'bot', server_id: odd },
      { prompt: 'none' },
    ]) {
      const answer = parametersOf(await ada.client.get(authorizePath(app, fields)))
      const context = JSON.stringify(fields)
      assert.match(answer.error ?? '', /^[a-z_]+$/, context)
      assert.match(answer.error_description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, context)
      assert.deepEqual(
        Object.keys(answer).toSorted(),
        ['error', 'error_description', 'iss', 'state'],
        context,
      )
    }
  },
)
