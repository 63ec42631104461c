import { Id } from '@gatehouse/protocol/ids'
import { imageTypes } from '@gatehouse/protocol/limits'
import { described, oneOf, openObject, pattern } from '@gatehouse/protocol/wire'
import { Media } from '../http/media.ts'
import { type Route, route } from '../http/route.ts'
import type { Sql } from '../storage/database.ts'
import { generateIdenticon } from './identicon.ts'
import { imageResponse, ONE_YEAR_IMMUTABLE } from './image-response.ts'
import { findImage, imageKinds } from './image-store.ts'

const ONE_DAY = 'public, max-age=86400'
const FIVE_MINUTES = 'public, max-age=300'

export function imageRoutes({ db }: { db: Sql }): Route[] {
  return [
    route('getImage', {
      summary: 'Returns the image of a user, server, application or webhook.',
      tag: 'Users',
      caller: { anonymous: true },
      params: openObject({
        kind: oneOf(imageKinds, 'Whose image it is.'),
        id: described(Id, 'The id of the user, server, application or webhook.'),
        hash: pattern(
          /^(default|[0-9a-f]{32})$/,
          'The hash of the image, or `default` for the image that is made from the id.',
        ),
      }),
      responses: { 200: Media<Uint8Array | string>(...imageTypes, 'image/svg+xml') },
      errors: ['not_found'],
      // An outdated hash returns the current image instead of 404: older messages still contain the URL.
      handle: async ({ params: { kind, id, hash } }) => {
        const image = hash === 'default' ? undefined : await findImage(db, kind, id)
        if (!image) {
          const cacheControl = hash === 'default' ? ONE_DAY : FIVE_MINUTES
          return imageResponse(generateIdenticon(id), 'image/svg+xml', cacheControl)
        }
        const cacheControl = image.hash === hash ? ONE_YEAR_IMMUTABLE : FIVE_MINUTES
        return imageResponse(image.bytes, image.contentType, cacheControl)
      },
    }),
  ]
}
