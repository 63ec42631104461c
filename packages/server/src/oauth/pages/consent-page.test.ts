import assert from 'node:assert/strict'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { authorizePath, makeApplication, signUp } from '../oauth-testing.ts'

function headingOf({ text }: TestResponse): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1]
}

eachService(
  'sign-in/consent-screen: the page starts with the destination and the developer, not with the application name',
  async (_t, service) => {
    const eve = await signUp(service, 'eve')
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(eve, { name: 'Official Gatehouse' })
    const page = await ada.client.get(authorizePath(app))
    assert.equal(headingOf(page), 'Sign in to app.example')
    assert.match(page.text, /<title>Sign in to app\.example · /)
    const facts = /<dl class="facts">.*?<\/dl>/s.exec(page.text)?.[0] ?? ''
    assert.match(facts, /You will be redirected to<\/dt><dd class="strong">app\.example</)
    assert.match(facts, /Developer<\/dt><dd><strong>@eve<\/strong>.*Registered on 15 January 2026/)
    assert.match(facts, /Application name<\/dt>.*<bdi>Official Gatehouse<\/bdi>/)
    const native = await makeApplication(eve, { type: 'public', redirectUris: ['com.example.app:/cb'] })
    const other = await ada.client.get(authorizePath(native))
    assert.equal(headingOf(other), 'Sign in to the application com.example.app')
  },
)

eachService(
  'sign-in/consent-screen: the page names the scheme of a private-use URI, not its host, which can be any text',
  async (_t, service) => {
    const eve = await signUp(service, 'eve')
    const redirectUris = ['com.evil.app://accounts.google.com/cb']
    const app = await makeApplication(eve, { type: 'public', redirectUris })
    const page = await eve.client.get(authorizePath(app))
    assert.equal(headingOf(page), 'Sign in to the application com.evil.app')
    assert.match(page.text, /redirected to<\/dt><dd class="strong">The application com\.evil\.app</)
    assert.doesNotMatch(page.text.replaceAll(/ (?:action|href)="[^"]*"/g, ''), /accounts\.google\.com/)
    const local = await makeApplication(eve, { redirectUris: ['http://localhost:8080/cb'] })
    assert.equal(headingOf(await eve.client.get(authorizePath(local))), 'Sign in to localhost:8080')
  },
)

eachService('the page identifies a bot by its username, which is unique', async (_t, service) => {
  const eve = await signUp(service, 'eve')
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(eve, {
    name: 'Official Gatehouse',
    bot: 'dice',
    redirectUris: [],
    public: true,
  })
  const site = await makeApplication(eve, { bot: 'wheel', public: true })
  const bot = { scope: 'bot', redirect_uri: undefined, response_type: undefined }
  const page = await ada.client.get(authorizePath(app, bot))
  assert.equal(headingOf(page), 'Add @dice to a server')
  assert.match(page.text, /<strong>@eve<\/strong>/)
  assert.doesNotMatch(page.text, /You will be redirected to/)
  const redirecting = await ada.client.get(authorizePath(site, { scope: 'bot' }))
  assert.match(redirecting.text, /You will be redirected to<\/dt><dd class="strong">app\.example</)
})

eachService(
  'the page names the privileged intents of a bot, in both languages (gateway/privileged-intents)',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'dice' })
    const path = (scope: string) => authorizePath(app, { scope })
    const texts = [
      'See who joins and leaves the server',
      'Read all messages of the channels that it can view',
    ]
    const shown = async (scope: string) => {
      const { text } = await ada.client.get(path(scope))
      return texts.filter(line => text.includes(`<li>${line}</li>`))
    }
    assert.deepEqual(await shown('bot'), [])
    const privilegedIntents = ['members', 'messageContent']
    await ada.client.json('PATCH', `/api/applications/${app.id}`, { privilegedIntents })
    assert.deepEqual(await shown('bot'), texts)
    assert.deepEqual(await shown('identify'), [])
    const russian = await ada.client.get(path('bot'), { 'accept-language': 'ru' })
    assert.match(russian.text, /<li>Читать все сообщения каналов, которые бот может просматривать<\/li>/)
  },
)

eachService('the description is a block quote with a caption', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const description = 'The application never sees your password.\nEverything is <b>checked</b>.'
  await ada.client.json('PATCH', `/api/applications/${app.id}`, { description })
  const { text } = await ada.client.get(authorizePath(app))
  const quoted = /<figcaption[^>]*>(.*?)<\/figcaption>\s*<blockquote[^>]*>(.*?)<\/blockquote>/s.exec(text)
  assert.equal(quoted?.[1], 'Description by the developer')
  assert.equal(
    quoted?.[2],
    'The application never sees your password.\nEverything is &lt;b&gt;checked&lt;/b&gt;.',
  )
  const plain = await makeApplication(ada)
  assert.doesNotMatch((await ada.client.get(authorizePath(plain))).text, /blockquote/)
})
