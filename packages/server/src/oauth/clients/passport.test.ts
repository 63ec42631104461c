import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { makeApplication, signUp } from '../oauth-testing.ts'
import { decideAt, openSite, useSystemTime } from './client-testing.ts'

// These packages have no types.
const require = createRequire(import.meta.url)
const express = require('express')
const session = require('express-session')
const passport = require('passport')
const Strategy = require('passport-openidconnect')

interface Options {
  service: TestService
  site: string
  clientId: string
  clientSecret: string | undefined
}

type Done = (error: unknown, user?: unknown) => void

/** The example of the documentation of passport-openidconnect. */
function createSite({ service, site, clientId, clientSecret }: Options): RequestListener {
  const authenticator = new passport.Passport()
  authenticator.use(
    new Strategy(
      {
        issuer: service.url,
        authorizationURL: `${service.url}/oauth2/authorize`,
        tokenURL: `${service.url}/api/oauth2/token`,
        userInfoURL: `${service.url}/api/oauth2/userinfo`,
        clientID: clientId,
        clientSecret,
        callbackURL: `${site}/callback`,
        scope: ['profile', 'email'],
        nonce: true,
        maxAge: 3600,
        skipUserProfile: false,
      },
      (issuer: string, profile: object, done: Done) => done(null, { issuer, ...profile }),
    ),
  )
  authenticator.serializeUser((user: unknown, done: Done) => done(null, user))
  authenticator.deserializeUser((user: unknown, done: Done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'a cookie secret', resave: false, saveUninitialized: false }))
  app.use(authenticator.session())
  app.get('/login', authenticator.authenticate('openidconnect'))
  app.get(
    '/callback',
    authenticator.authenticate('openidconnect', { successRedirect: '/me', failureRedirect: '/refused' }),
  )
  app.get('/me', (request: { user?: unknown }, response: { json(body: unknown): void }) =>
    response.json(request.user ?? null),
  )
  return app
}

eachService('passport-openidconnect: sign-in with express', async (t, service) => {
  useSystemTime(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/callback`] })
  site.setListener(createSite({ service, site: site.url, clientId: app.id, clientSecret: app.secret }))
  const visitor = service.client()
  const away = await visitor.get(`${site.url}/login`)
  const back = await decideAt(ada, away.headers.get('location') ?? '')
  const signedIn = await visitor.get(back.href)
  assert.equal(signedIn.headers.get('location'), '/me', signedIn.text)
  const { body } = await visitor.get(`${site.url}/me`)
  assert.equal(body.issuer, service.url)
  assert.equal(body.id, ada.id)
  assert.equal(body.username, 'ada')
  assert.equal(body.displayName, 'Name of ada')
  assert.equal(body.emails[0].value, ada.email)
  // The same response cannot be used twice.
  const again = await visitor.get(back.href)
  assert.equal(again.headers.get('location'), '/refused', again.text)
})

eachService('passport-openidconnect: access_denied', async (t, service) => {
  useSystemTime(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/callback`] })
  site.setListener(createSite({ service, site: site.url, clientId: app.id, clientSecret: app.secret }))
  const visitor = service.client()
  const away = await visitor.get(`${site.url}/login`)
  const back = await decideAt(ada, away.headers.get('location') ?? '', 'deny')
  assert.equal((await visitor.get(back.href)).headers.get('location'), '/refused')
})
