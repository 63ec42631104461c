import { SelfUser } from '@gatehouse/protocol/users'
import { requireImage } from '../../http/body-parsers.ts'
import { Image } from '../../http/media.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { selfView } from './user.ts'
import type { Users } from './users.ts'

const path = '/api/users/@me/avatar'

export function avatarRoutes({ users }: { users: Users }): Route[] {
  return [
    route({
      method: 'PUT',
      path,
      operationId: 'setAvatar',
      summary: 'Sets the avatar of the current user.',
      tag: 'Users',
      caller: { session: true },
      bodyTypes: ['image'],
      body: Image,
      responses: { 200: SelfUser },
      errors: ['limit_reached'],
      handle: async ({ caller, body }) =>
        ok(selfView(await users.setAvatar(caller.userId, requireImage(body)))),
    }),
    route({
      method: 'DELETE',
      path,
      operationId: 'deleteAvatar',
      summary: 'Replaces the avatar of the current user with the generated one.',
      tag: 'Users',
      caller: { session: true },
      responses: { 200: SelfUser },
      handle: async ({ caller }) => ok(selfView(await users.removeAvatar(caller.userId))),
    }),
  ]
}
