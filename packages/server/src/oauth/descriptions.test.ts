import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { authorizePath, challenge, makeApplication, parametersOf, signUp } from './oauth-testing.ts'

eachService(
  'sign-in/error-description-characters, sign-in/errors-with-redirect: the error_description ' +
    'has only allowed characters, whatever the request contains',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const invalid = 'é"\\\u{1f600}\n<x>'
    for (const fields of [
      { response_type: invalid },
      { response_mode: invalid },
      { scope: invalid },
      { prompt: invalid },
      { max_age: invalid },
      { code_challenge: invalid },
      { code_challenge: challenge, code_challenge_method: invalid },
      { id_token_hint: invalid },
      { request: invalid },
      { registration: invalid },
      { scope: 'bot', permissions: invalid },
      { scope: 'bot', server_id: invalid },
      { prompt: 'none' },
    ]) {
      const response = parametersOf(await ada.client.get(authorizePath(app, fields)))
      const context = JSON.stringify(fields)
      assert.match(response.error ?? '', /^[a-z_]+$/, context)
      assert.match(response.error_description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, context)
      assert.deepEqual(
        Object.keys(response).toSorted(),
        ['error', 'error_description', 'iss', 'state'],
        context,
      )
    }
  },
)
