import { SelfUser } from '@gatehouse/protocol/users'
import { requireImage } from '../../http/body-parsers.ts'
import { Image } from '../../http/media.ts'
import { ok, type Route, routeGroup } from '../../http/route.ts'
import { selfView } from './user.ts'
import type { Users } from './users.ts'

const route = routeGroup({ tag: 'Users', caller: { session: true } })

export function avatarRoutes({ users }: { users: Users }): Route[] {
  return [
    route('setAvatar', {
      summary: 'Sets the avatar of the current user.',
      bodyTypes: ['image'],
      body: Image,
      responses: { 200: SelfUser },
      errors: ['limit_reached'],
      handle: async ({ caller, body }) =>
        ok(selfView(await users.setAvatar(caller.userId, requireImage(body)))),
    }),
    route('deleteAvatar', {
      summary: 'Replaces the avatar of the current user with the generated one.',
      responses: { 200: SelfUser },
      handle: async ({ caller }) => ok(selfView(await users.removeAvatar(caller.userId))),
    }),
  ]
}
