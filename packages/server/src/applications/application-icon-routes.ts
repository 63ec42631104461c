import { Application } from '@gatehouse/protocol/applications'
import { requireImage } from '../http/body-parsers.ts'
import { Image } from '../http/media.ts'
import { ok, type Route, route } from '../http/route.ts'
import type { Applications } from './applications.ts'

export function iconRoute(applications: Applications): Route {
  return route('setApplicationIcon', {
    summary: 'Sets the icon of an application: PNG, JPEG, GIF or WebP, up to 1 MiB.',
    tag: 'Developer console',
    caller: { session: true },
    body: Image,
    bodyTypes: ['image'],
    responses: { 200: Application },
    errors: ['not_found', 'limit_reached'],
    handle: async ({ caller, params, body }) =>
      ok(await applications.setIcon(caller.userId, params.id, requireImage(body))),
  })
}
