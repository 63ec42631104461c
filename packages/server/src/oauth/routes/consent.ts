import { Type } from '@gatehouse/protocol/type'
import { pageDialect } from '../../http/pages.ts'
import { type Route, route } from '../../http/route.ts'
import { consentPage } from '../pages/consent.ts'
import { fromForm, fromQuery } from '../parameters.ts'
import { leave } from './authorize.ts'
import type { OAuthRouteDeps } from './deps.ts'

const ConsentForm = Type.Object(
  {
    token: Type.Optional(Type.Unsafe<unknown>({ description: 'Of the form.' })),
    decision: Type.Optional(Type.Unsafe<unknown>({ description: 'allow or deny.' })),
    allow: Type.Optional(Type.Unsafe<unknown>({ description: 'The optional scopes that are ticked.' })),
    server_id: Type.Optional(Type.Unsafe<unknown>({ description: 'Where the bot goes.' })),
  },
  { description: 'What the person decided. The request itself stands in the address.' },
)

/** `/oauth2/consent`: the form of the consent page. */
export function consentRoute({ oauth, pages, formTokens }: OAuthRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/oauth2/consent',
    summary: 'A person allows or denies what an application asked for.',
    tag: 'Sign-in',
    caller: { session: true, anyone: true },
    body: ConsentForm,
    bodyTypes: ['form'],
    answers: { 200: Type.String(), 303: null },
    dialect: pageDialect(pages),
    handle: async ({ caller, request, body }) => {
      const form = fromForm(body)
      const decision = {
        allow: form.get('decision') === 'allow',
        ticked: form.pairs.filter(([name]) => name === 'allow').map(([, value]) => value),
        serverId: form.get('server_id'),
      }
      const outcome = await oauth.decide(fromQuery(request.url), caller?.sessionId, decision, bindings =>
        formTokens.check(form.get('token'), bindings.session, bindings.request),
      )
      return outcome.kind === 'redirect'
        ? leave(outcome.location)
        : consentPage({ pages, formTokens }, outcome)
    },
  })
}
