import type { Embed } from '@gatehouse/protocol/embeds'
import type { APIEmbed, APIEmbedAuthor, APIEmbedFooter, APIEmbedImage } from 'discord-api-types/v10'
import { toDiscordTimestamp } from '../../webhooks/index.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

type EmbedImage = Whole<APIEmbedImage, OptionalMembers['embedImage']>

interface OwnMembers {
  image?: EmbedImage
  thumbnail?: EmbedImage
  author?: Whole<APIEmbedAuthor, OptionalMembers['embedAuthor']>
  footer?: Whole<APIEmbedFooter, OptionalMembers['embedFooter']>
}

export type DiscordEmbed = Whole<APIEmbed, OptionalMembers['embed'], OwnMembers>

/** `baseUrl`: before the paths of our own embeds. */
export function toDiscordEmbed(embed: Embed, baseUrl: string): DiscordEmbed {
  const { timestamp, image, thumbnail, author, footer, fields = [], ...rest } = embed
  const toImage = ({ url, proxy_url: path }: NonNullable<Embed['image']>): EmbedImage => ({
    url,
    ...(path === undefined ? {} : { proxy_url: baseUrl + path }),
    // Nobody has fetched the picture.
    width: 0,
    height: 0,
    flags: noFlags,
  })
  const withIcon = <Part extends { proxy_icon_url?: string }>({ proxy_icon_url: path, ...part }: Part) => ({
    ...part,
    ...(path === undefined ? {} : { proxy_icon_url: baseUrl + path }),
  })
  return {
    ...rest,
    type: 'rich',
    fields: fields.map(({ inline = false, ...field }) => ({ ...field, inline })),
    flags: noFlags,
    ...(timestamp === undefined ? {} : { timestamp: toDiscordTimestamp(timestamp) }),
    ...(image && { image: toImage(image) }),
    ...(thumbnail && { thumbnail: toImage(thumbnail) }),
    ...(author && { author: withIcon(author) }),
    ...(footer && { footer: withIcon(footer) }),
  }
}
