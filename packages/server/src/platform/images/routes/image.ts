import { Id } from '@gatehouse/protocol/ids'
import { OneOf } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import { type Route, route } from '../../../http/route.ts'
import type { Sql } from '../../../storage/database.ts'
import { defaultPicture } from '../default-picture.ts'
import { imageKinds } from '../images.ts'
import { getImage } from '../store.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'
const A_DAY = 'public, max-age=86400'
const FIVE_MINUTES = 'public, max-age=300'

/** Strangers' bytes from our own address: nothing in them may run. Other sites show them, whatever they ask of a picture. */
const harmless = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
} as const

/**
 * A picture by the hash of its bytes, to be kept for ever; `default` is the generated one. Under a hash that is no longer
 * the owner's, what the owner shows now: an old message keeps a picture.
 */
export function imageRoute({ db }: { db: Sql }): Route {
  return route({
    method: 'GET',
    path: '/images/:kind/:id/:hash',
    summary: 'A picture',
    tag: 'People',
    caller: { anyone: true },
    params: Type.Object({
      kind: OneOf(imageKinds),
      id: Id,
      hash: Type.String({ pattern: '^(default|[0-9a-f]{32})$' }),
    }),
    answers: { 200: Type.Unsafe<Uint8Array | string>({ type: 'string', format: 'binary' }) },
    errors: ['not_found'],
    handle: async ({ params: { kind, id, hash } }) => {
      const image = hash === 'default' ? undefined : await getImage(db, kind, id)
      if (!image) {
        const lasts = hash === 'default' ? A_DAY : FIVE_MINUTES
        return picture(defaultPicture(id), 'image/svg+xml', lasts)
      }
      return picture(image.bytes, image.contentType, image.hash === hash ? FOR_EVER : FIVE_MINUTES)
    },
  })
}

function picture(body: Uint8Array | string, contentType: string, cacheControl: string) {
  const headers = { ...harmless, 'content-type': contentType, 'cache-control': cacheControl }
  return { status: 200 as const, body, headers }
}
