import type { Embed } from '@gatehouse/protocol/embeds'
import { type CSSProperties, useState } from 'react'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { roleColor } from '../../core/servers/members.ts'
import { withIndexKeys } from '../../ui/index-keys.ts'
import { safeHref } from '../../ui/safe-url.ts'
import { ChatLink } from './chat-link.tsx'
import { type FieldColumns, layoutFields } from './embed-fields.ts'
import { ExternalLink } from './external-link.tsx'
import { FormattedText } from './formatted-text.tsx'
import './embed-card.css'

export function EmbedCards({ embeds }: { embeds: readonly Embed[] }) {
  return withIndexKeys(embeds).map(({ key, item }) => <EmbedCard key={key} embed={item} />)
}

/**
 * Its images come from the service, not from the hosts in their URLs (webhooks/media-proxy), and load when they become
 * visible.
 */
function EmbedCard({ embed }: { embed: Embed }) {
  const { t, dates } = useI18n()
  const { author, title, url, description, fields, image, thumbnail, footer, timestamp, color } = embed
  const style = color === undefined ? undefined : ({ '--bar-color': roleColor(color) } as CSSProperties)
  const [broken, setBroken] = useState<string>()
  const thumbnailSrc = thumbnail?.proxy_url
  // The text takes the width of a thumbnail that cannot be loaded.
  const side = thumbnailSrc === broken ? undefined : thumbnailSrc
  return (
    <article
      className={side ? 'embed with-thumbnail' : 'embed'}
      style={style}
      aria-label={title ?? author?.name ?? t('chat.embed')}
    >
      {(author || title || description || side) && (
        <div className="embed-text">
          {author && (
            <p className="embed-author" dir="auto">
              <EmbedIcon src={author.proxy_icon_url} />
              <OptionalLink href={author.url} text={author.name} />
            </p>
          )}
          {title && (
            <p className="embed-title" dir="auto">
              <OptionalLink href={url} text={title} />
            </p>
          )}
          {description && <FormattedText text={description} everyone={false} />}
        </div>
      )}
      {side && <EmbedImage className="embed-thumbnail" src={side} onBroken={setBroken} />}
      {fields && fields.length > 0 && <Fields fields={fields} />}
      {image && <WideImage image={image} />}
      {(footer || timestamp) && (
        <p className="embed-footer" dir="auto">
          <EmbedIcon src={footer?.proxy_icon_url} />
          {footer && <span>{footer.text}</span>}
          {footer && timestamp && <span aria-hidden="true">·</span>}
          {timestamp && (
            <time dir="auto" dateTime={timestamp}>
              {dates.full(timestamp)}
            </time>
          )}
        </p>
      )}
    </article>
  )
}

const columnClasses: Readonly<Record<FieldColumns, string>> = {
  1: 'embed-field',
  2: 'embed-field half',
  3: 'embed-field third',
}

function Fields({ fields }: { fields: NonNullable<Embed['fields']> }) {
  const layout = layoutFields(fields)
  return (
    <dl className="embed-fields">
      {withIndexKeys(fields).map(({ key, item: field }, index) => {
        const columns = layout[index] ?? 1
        // An empty name is hidden, except beside other fields, where its line aligns the values.
        const hidesName = columns === 1 && /^[\s\u200b]*$/.test(field.name)
        return (
          <div key={key} className={columnClasses[columns]}>
            <dt className={hidesName ? 'visually-hidden' : undefined} dir="auto">
              {field.name}
            </dt>
            <dd>
              <FormattedText text={field.value} everyone={false} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function OptionalLink({ href, text }: { href: string | undefined; text: string }) {
  const safe = safeHref(href)
  return safe ? <ChatLink href={safe} text={text} /> : text
}

/** If the image cannot be loaded, a link to it. */
function WideImage({ image: { url, proxy_url: src } }: { image: NonNullable<Embed['image']> }) {
  const { t } = useI18n()
  const [broken, setBroken] = useState<string>()
  const href = safeHref(url)
  if (src !== undefined && src !== broken) {
    return <EmbedImage className="embed-image" src={src} onBroken={setBroken} />
  }
  if (href === undefined) return null
  return (
    <p className="embed-missing-image">
      <ExternalLink href={href} text={t('chat.missingImage')} />
    </p>
  )
}

function EmbedIcon({ src }: { src: string | undefined }) {
  return src ? <EmbedImage className="embed-icon" src={src} /> : null
}

interface EmbedImageProps {
  src: string
  className: string
  onBroken?(src: string): void
}

/** Renders nothing if the image cannot be loaded. */
function EmbedImage({ src, className, onBroken }: EmbedImageProps) {
  const [broken, setBroken] = useState<string>()
  if (broken === src) return null
  return (
    <img
      className={className}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => {
        setBroken(src)
        onBroken?.(src)
      }}
    />
  )
}
