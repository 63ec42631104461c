import { Id } from '@gatehouse/protocol/ids'
import { described, openObject, pattern } from '@gatehouse/protocol/wire'
import { Media } from '../../http/media.ts'
import { type Route, respond, route } from '../../http/route.ts'
import type { MediaProxy } from './media-proxy.ts'

const base64url = /^[A-Za-z0-9_-]+$/

/**
 * Strangers chose these pictures, so only pages of this service may embed them, and a browser must not run anything in
 * them.
 */
const headers = {
  'content-type': 'image/webp',
  'cache-control': 'private, max-age=86400',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const

export function mediaProxyRoute({ mediaProxy }: { mediaProxy: MediaProxy }): Route {
  return route('proxyMedia', {
    summary: 'Returns a picture of another host to the web client. Messages have the signed URL.',
    tag: 'Messages',
    // A reader who is known cannot take the turns of others. Bots have the original URL.
    caller: { session: true },
    query: openObject({
      poster: described(Id, 'The id of the bot or webhook that posted the picture.'),
      url: pattern(base64url, 'The URL of the picture in base64url.'),
      signature: pattern(base64url, 'Proves that the service made this URL.'),
    }),
    responses: { 200: Media<Uint8Array>('image/webp') },
    errors: ['not_found', 'rate_limited', 'unavailable'],
    exemptFromRequestRate: true,
    handle: async ({ caller, query }) => respond(200, await mediaProxy.open(caller.userId, query), headers),
  })
}
