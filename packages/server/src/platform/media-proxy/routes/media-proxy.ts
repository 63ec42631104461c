import { Id } from '@gatehouse/protocol/ids'
import { Described } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import { Media } from '../../../http/media.ts'
import { type Route, respond, route } from '../../../http/route.ts'
import type { MediaProxy } from '../media-proxy.ts'

const base64url = '^[A-Za-z0-9_-]+$'

/** Strangers chose these pictures, so only pages of this service may embed them, and a browser must not run anything in them. */
const headers = {
  'content-type': 'image/webp',
  'cache-control': 'private, max-age=86400',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const

export function mediaProxyRoute({ mediaProxy }: { mediaProxy: MediaProxy }): Route {
  return route({
    method: 'GET',
    path: '/media-proxy',
    summary: 'Returns a picture of another host to the web client. Messages have the signed URL.',
    tag: 'Messages',
    // A reader who is known cannot take the turns of others. Bots have the original URL.
    caller: { session: true },
    query: Type.Object({
      poster: Described(Id, 'The id of the bot or webhook that posted the picture.'),
      url: Type.String({ pattern: base64url, description: 'The URL of the picture in base64url.' }),
      signature: Type.String({ pattern: base64url, description: 'Proves that the service made this URL.' }),
    }),
    responses: { 200: Media<Uint8Array>('image/webp') },
    errors: ['not_found', 'rate_limited', 'unavailable'],
    exemptFromRequestRate: true,
    handle: async ({ caller, query }) => respond(200, await mediaProxy.open(caller.userId, query), headers),
  })
}
