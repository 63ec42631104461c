import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { eachService, type TestService } from '../../testing.ts'
import { makeApplication, signUp } from '../testing.ts'
import { allowAt, openSite, toTheTimeOfDay } from './testing.ts'

// None of them brings types.
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

/** A site as the documentation of passport-openidconnect has it. */
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
  app.use(session({ secret: 'of the site', resave: false, saveUninitialized: false }))
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

eachService('passport-openidconnect with express signs a person in', async (t, service) => {
  toTheTimeOfDay(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/callback`] })
  site.answerWith(createSite({ service, site: site.url, clientId: app.id, clientSecret: app.secret }))
  const visitor = service.client()
  const away = await visitor.get(`${site.url}/login`)
  const back = await allowAt(ada, away.headers.get('location') ?? '')
  const home = await visitor.get(back.href)
  assert.equal(home.headers.get('location'), '/me', home.text)
  const { body } = await visitor.get(`${site.url}/me`)
  assert.equal(body.issuer, service.url)
  assert.equal(body.id, ada.id)
  assert.equal(body.username, 'ada')
  assert.equal(body.displayName, 'Name of ada')
  assert.equal(body.emails[0].value, ada.email)
  // The same answer a second time is none.
  const again = await visitor.get(back.href)
  assert.equal(again.headers.get('location'), '/refused', again.text)
})

eachService('passport-openidconnect sees what was denied', async (t, service) => {
  toTheTimeOfDay(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/callback`] })
  site.answerWith(createSite({ service, site: site.url, clientId: app.id, clientSecret: app.secret }))
  const visitor = service.client()
  const away = await visitor.get(`${site.url}/login`)
  const back = await allowAt(ada, away.headers.get('location') ?? '', 'deny')
  assert.equal((await visitor.get(back.href)).headers.get('location'), '/refused')
})
