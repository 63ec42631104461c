import { SecondFactors } from '@gatehouse/protocol/second-factor'
import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../http/caller.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import type { ChangeContext } from './proofs.ts'
import type { SecondFactorSettings } from './second-factors.ts'

export function secondFactorRoute({ settings }: { settings: SecondFactorSettings }): Route {
  return route('listSecondFactors', {
    summary: 'Lists the second factors of the current user.',
    tag: 'Second factor',
    caller: { session: true },
    responses: { 200: SecondFactors },
    handle: async ({ caller }) => ok(await settings.listSecondFactors(caller.userId)),
  })
}

export function sessionContext({ userId, sessionId }: SessionCaller, request: FastifyRequest): ChangeContext {
  return { ...requestInfoOf(request), userId, sessionId }
}
