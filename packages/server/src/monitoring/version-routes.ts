import { version } from '@gatehouse/protocol/version'
import { openObject, string } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'

export function versionRoute(): Route {
  return route('getVersion', {
    summary: 'Returns the version of the service.',
    tag: 'Operation',
    caller: { anonymous: true },
    cors: true,
    responses: { 200: openObject({ version: string('The version of the service.') }) },
    handle: async () => ok({ version }),
  })
}
