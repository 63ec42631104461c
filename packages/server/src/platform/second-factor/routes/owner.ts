import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../../http/caller.ts'

/** What the routes to one's own factors share. */
export const own = { tag: 'Second factor', caller: { session: true } } as const

export function ownerOf({ userId, sessionId }: SessionCaller, request: FastifyRequest) {
  return { userId, sessionId, ip: request.ip }
}
