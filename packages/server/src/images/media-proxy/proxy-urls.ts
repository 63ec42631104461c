import type { Embed } from '@gatehouse/protocol/embeds'
import type { Message } from '@gatehouse/protocol/messages'
import { constantTimeEqual, createMac } from '../../kit/secret.ts'

/** The query of a signed path. */
export interface SignedQuery {
  /** The id of the bot or webhook that posted the picture. */
  poster: string
  /** In base64url, which is at most a third longer, whatever its characters. */
  url: string
  signature: string
}

export type ProxyUrls = ReturnType<typeof createProxyUrls>

/** The signed paths of external pictures: the service fetches no URL that it did not sign (webhooks/media-proxy). */
export function createProxyUrls(secretKey: Uint8Array) {
  function sign(poster: string, url: string): string {
    return createMac(secretKey, 'media-proxy', `${poster}\0${url}`).toString('base64url')
  }

  /** The path of a picture that the service stores is its own. */
  function toPath(poster: string, picture: string): string {
    if (picture.startsWith('/')) return picture
    const url = Buffer.from(picture).toString('base64url')
    return `/media-proxy?poster=${poster}&url=${url}&signature=${sign(poster, url)}`
  }

  function addToEmbed(embed: Embed, toUrl: (picture: string) => string): Embed {
    const { image, thumbnail, author, footer } = embed
    return {
      ...embed,
      ...(image && { image: { ...image, proxy_url: toUrl(image.url) } }),
      ...(thumbnail && { thumbnail: { ...thumbnail, proxy_url: toUrl(thumbnail.url) } }),
      ...(author?.icon_url && { author: { ...author, proxy_icon_url: toUrl(author.icon_url) } }),
      ...(footer?.icon_url && { footer: { ...footer, proxy_icon_url: toUrl(footer.icon_url) } }),
    }
  }

  return {
    toPath,

    /** The message with the signed URLs of its external pictures. `origin`: before each path. */
    addTo<M extends Pick<Message, 'author' | 'embeds'>>(message: M, origin = ''): M {
      const { author, embeds } = message
      if (author.webhookId === undefined && embeds.length === 0) return message
      const toUrl = (picture: string) => origin + toPath(author.id, picture)
      return {
        ...message,
        author:
          author.webhookId === undefined || !author.avatar
            ? author
            : { ...author, avatarProxyUrl: toUrl(author.avatar) },
        embeds: embeds.map(embed => addToEmbed(embed, toUrl)),
      }
    },

    /** The URL of the picture, or null if the service did not sign the query. */
    verify({ poster, url, signature }: SignedQuery): URL | null {
      const isSigned = constantTimeEqual(signature, sign(poster, url))
      return isSigned ? URL.parse(Buffer.from(url, 'base64url').toString()) : null
    },
  }
}
