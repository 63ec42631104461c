import type { Embed } from '@gatehouse/protocol/embeds'
import { type CSSProperties, useState } from 'react'
import { useI18n } from '../i18n/i18n.tsx'
import { roleColor } from '../servers/members.ts'
import { inOrder } from '../ui/in-order.ts'
import { Body } from './body.tsx'
import { type Beside, layFields } from './embed-fields.ts'
import { ExternalLink } from './external-link.tsx'
import { safeHref, safeImage } from './tokens.ts'
import './embed-card.css'

/** The cards under a message. */
export function EmbedCards({ embeds }: { embeds: readonly Embed[] }) {
  return inOrder(embeds).map(({ key, item }) => <EmbedCard key={key} embed={item} />)
}

/** A card under a message. Its pictures come from strangers: https only, without a referrer, when in view. */
function EmbedCard({ embed }: { embed: Embed }) {
  const { t, dates } = useI18n()
  const { author, title, url, description, fields, image, thumbnail, footer, timestamp, color } = embed
  const style = color === undefined ? undefined : ({ '--bar-color': roleColor(color) } as CSSProperties)
  const [broken, setBroken] = useState<string>()
  const thumb = safeImage(thumbnail?.url)
  // The text has the room of a picture that cannot be loaded.
  const side = thumb === broken ? undefined : thumb
  const wide = safeImage(image?.url)
  return (
    <article
      className={side ? 'embed sided' : 'embed'}
      style={style}
      aria-label={title ?? author?.name ?? t('chat.embed')}
    >
      {(author || title || description || side) && (
        <div className="embed-text">
          {author && (
            <p className="embed-author">
              <SmallPicture address={author.icon_url} />
              <Linked href={author.url} text={author.name} />
            </p>
          )}
          {title && (
            <p className="embed-title">
              <Linked href={url} text={title} />
            </p>
          )}
          {description && <Body text={description} everyone={false} />}
        </div>
      )}
      {side && <Picture className="embed-side" src={side} onBroken={setBroken} />}
      {fields && fields.length > 0 && <Fields fields={fields} />}
      {wide && <Picture className="embed-wide" src={wide} />}
      {(footer || timestamp) && (
        <p className="embed-foot">
          <SmallPicture address={footer?.icon_url} />
          {footer && <span>{footer.text}</span>}
          {footer && timestamp && <span aria-hidden="true">·</span>}
          {timestamp && <time dateTime={timestamp}>{dates.full(timestamp)}</time>}
        </p>
      )}
    </article>
  )
}

const widths: Readonly<Record<Beside, string>> = {
  1: 'embed-field',
  2: 'embed-field half',
  3: 'embed-field third',
}

function Fields({ fields }: { fields: NonNullable<Embed['fields']> }) {
  const laid = layFields(fields)
  return (
    <dl className="embed-fields">
      {inOrder(fields).map(({ key, item: field }, index) => {
        const beside = laid[index] ?? 1
        // Programs leave a name empty where they want none; beside others its line keeps the values level.
        const nameless = beside === 1 && /^[\s\u200b]*$/.test(field.name)
        return (
          <div key={key} className={widths[beside]}>
            <dt className={nameless ? 'unseen' : undefined}>{field.name}</dt>
            <dd>
              <Body text={field.value} everyone={false} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function Linked({ href, text }: { href: string | undefined; text: string }) {
  const safe = safeHref(href)
  return safe ? <ExternalLink href={safe}>{text}</ExternalLink> : text
}

function SmallPicture({ address }: { address: string | undefined }) {
  const src = safeImage(address)
  return src ? <Picture className="embed-icon" src={src} /> : null
}

interface PictureProps {
  src: string
  className: string
  onBroken?(src: string): void
}

/** A picture that cannot be loaded leaves no broken frame. */
function Picture({ src, className, onBroken }: PictureProps) {
  const [broken, setBroken] = useState<string>()
  if (broken === src) return null
  return (
    <img
      className={className}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => {
        setBroken(src)
        onBroken?.(src)
      }}
    />
  )
}
