import { Type } from '@gatehouse/protocol/type'
import { SelfUser } from '@gatehouse/protocol/users'
import { requirePicture } from '../../../http/body.ts'
import { ok, type Route, route } from '../../../http/route.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'

const Picture = Type.Unsafe<unknown>({ description: 'The bytes of a png, jpeg, gif or webp, up to 1 MiB.' })

export function setAvatarRoute({ users }: { users: Pick<Users, 'setAvatar'> }): Route {
  return route({
    method: 'PUT',
    path: '/api/users/@me/avatar',
    summary: 'Give oneself a picture',
    tag: 'People',
    caller: { session: true },
    bodyTypes: ['image'],
    body: Picture,
    answers: { 200: SelfUser },
    handle: async ({ caller, body }) =>
      ok(selfView(await users.setAvatar(caller.userId, requirePicture(body)), { email: true })),
  })
}

export function removeAvatarRoute({ users }: { users: Pick<Users, 'removeAvatar'> }): Route {
  return route({
    method: 'DELETE',
    path: '/api/users/@me/avatar',
    summary: 'Go back to the generated picture',
    tag: 'People',
    caller: { session: true },
    answers: { 200: SelfUser },
    handle: async ({ caller }) => ok(selfView(await users.removeAvatar(caller.userId), { email: true })),
  })
}
