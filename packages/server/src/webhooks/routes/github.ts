import { isMembers } from '@gatehouse/protocol/members'
import { Checked } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import type { FastifyRequest } from 'fastify'
import { noContent, type Route, route } from '../../http/route.ts'
import { webhookDialect } from '../dialect.ts'
import { fromGithub } from '../github/from-github.ts'
import type { Webhooks } from '../index.ts'
import { invalidAt } from '../refusal.ts'
import { readPayload } from './body.ts'
import type { Door } from './door.ts'
import { everyVersion } from './paths.ts'

/** `POST /api/webhooks/:id/:token/github` */
export function githubRoutes({ posting, seen }: Webhooks, door: Door): Route[] {
  async function take(request: FastifyRequest, body: unknown): Promise<string | null> {
    const webhook = door.webhookOf(request)
    const event = headerOf(request, 'x-github-event')
    if (event === undefined) {
      throw invalidAt(['X-GitHub-Event'], 'header', 'the header X-GitHub-Event is required')
    }
    const payload = readPayload(request, body)
    if (!isMembers(payload)) throw invalidAt([], 'invalid_type', 'only an object is an event')
    const draft = fromGithub(event, payload)
    const delivery = headerOf(request, 'x-github-delivery')
    if (draft === undefined || !(await seen.first(webhook.id, delivery))) return null
    try {
      return (await posting.post(webhook, draft)).message.id
    } catch (error) {
      await seen.forget(webhook.id, delivery)
      throw error
    }
  }

  return everyVersion((base, tag) => [
    route({
      method: 'POST',
      path: `${base}/github`,
      summary: 'Posts an event of GitHub as a card; events that are not known are ignored.',
      tag,
      caller: { anyone: true },
      body: Checked(Type.Object({}), 'The event, as JSON or in the field `payload` of a form.'),
      bodyTypes: ['any'],
      answers: { 204: null },
      errors: ['not_found'],
      dialect: webhookDialect,
      before: door.admit('posts'),
      refused: door.refused(webhookDialect, 'github'),
      astray: door.astray,
      async handle({ request, body }) {
        door.taken(request, 'github', 204, await take(request, body))
        return noContent()
      },
    }),
  ])
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
