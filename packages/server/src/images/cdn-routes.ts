import { isId } from '@gatehouse/protocol/ids'
import { imageTypes } from '@gatehouse/protocol/limits'
import { openObject, string } from '@gatehouse/protocol/wire'
import { notFound } from '../errors/app-error.ts'
import { Media } from '../http/media.ts'
import { type Route, route } from '../http/route.ts'
import type { Sql } from '../storage/database.ts'
import { generateDefaultPicture } from './default-picture.ts'
import { imageResponse, ONE_YEAR_IMMUTABLE } from './image-response.ts'
import { findImage, type ImageKind } from './image-store.ts'

const File = string('The hash of the picture, or the number of a default one, with an extension.')
const params = openObject({ id: string('Whose picture it is.'), file: File })

/**
 * The paths of Discord's CDN (discord/pictures). Libraries build them from the id and the hash that Discord's API says.
 * A picture has the format in which it is stored, whatever the extension is, and one size.
 */
export function cdnRoutes({ db }: { db: Sql }): Route[] {
  const declare = (id: 'cdnAvatar' | 'cdnIcon' | 'cdnApplicationIcon', kinds: readonly ImageKind[]) =>
    route(id, {
      summary: "Returns a picture under the path of Discord's CDN.",
      tag: 'Users',
      caller: { anonymous: true },
      params,
      responses: { 200: Media<Uint8Array>(...imageTypes) },
      errors: ['not_found'],
      async handle({ params: { id, file } }) {
        const hash = nameOf(file)
        for (const kind of isId(id) ? kinds : []) {
          const image = await findImage(db, kind, id)
          if (image !== undefined && image.hash === hash)
            return imageResponse(image.bytes, image.contentType, ONE_YEAR_IMMUTABLE)
        }
        throw notFound()
      },
    })
  return [
    declare('cdnAvatar', ['users', 'webhooks']),
    declare('cdnIcon', ['servers']),
    declare('cdnApplicationIcon', ['applications']),
    route('cdnDefaultAvatar', {
      summary: "Returns one of the six default avatars under the path of Discord's CDN.",
      tag: 'Users',
      caller: { anonymous: true },
      params: openObject({ file: File }),
      responses: { 200: Media<Uint8Array>('image/png') },
      errors: ['not_found'],
      async handle({ params: { file } }) {
        const name = nameOf(file)
        if (name === undefined || !/^[0-5]$/.test(name)) throw notFound()
        return imageResponse(generateDefaultPicture(name), 'image/png', ONE_YEAR_IMMUTABLE)
      },
    }),
  ]
}

function nameOf(file: string): string | undefined {
  return /^([0-9a-f]+)\.(?:png|webp|jpe?g|gif)$/.exec(file)?.[1]
}
