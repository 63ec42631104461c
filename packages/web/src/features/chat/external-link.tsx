import type { MouseEvent, ReactNode } from 'react'
import { useT } from '../../core/i18n/i18n.tsx'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { linkTarget, looksLikeUrl, showsUrl } from '../../ui/safe-url.ts'
import { useConfirm } from '../../ui/use-confirm.ts'

export interface ExternalLinkProps {
  /** Has passed `safeHref`. */
  href: string
  /** What the link shows. Default: the URL. */
  text?: string
  /** The text with markup. */
  children?: ReactNode
  className?: string
  /** The host is not visible, but a screen reader reads it. */
  hidesHost?: boolean
  /** Opens what the link means here. Resolves to false if it means nothing here. */
  onOpenHere?: () => Promise<boolean>
}

/**
 * A link with an untrusted URL: the linked page gets neither a referrer nor an opener. If the text is not the URL, the
 * link also shows its host, and asks before it opens. The host is shown on hover and focus, or always if the text may
 * be taken for a URL.
 */
export function ExternalLink({
  href,
  text = href,
  children = text,
  className,
  hidesHost,
  onOpenHere,
}: ExternalLinkProps) {
  const t = useT()
  const confirm = useConfirm()
  const tabIndex = useTabIndex()
  const hostClass = hidesHost ? 'visually-hidden' : looksLikeUrl(text) ? 'link-host' : 'link-host on-hover'
  const target = showsUrl(text, href) ? undefined : linkTarget(href)

  /** The middle button opens a link too. */
  function open(event: MouseEvent): void {
    if (event.button > 1 || !href.startsWith('http')) return
    if (onOpenHere !== undefined && event.button === 0) {
      event.preventDefault()
      void onOpenHere().then(isOpen => isOpen || ask())
    } else if (target !== undefined) {
      event.preventDefault()
      ask()
    }
  }

  function ask(): void {
    confirm({
      title: t('link.title'),
      text: t('link.text', { host: linkTarget(href) }),
      preview: <p className="preview">{href}</p>,
      action: t('action.open'),
      isHarmless: true,
      run: async () => {
        window.open(href, '_blank', 'noopener,noreferrer')
      },
    })
  }

  return (
    <a
      className={className}
      href={href}
      title={target === undefined ? undefined : href}
      tabIndex={tabIndex}
      target="_blank"
      rel="noopener noreferrer nofollow"
      onClick={open}
      onAuxClick={open}
    >
      {children}
      {target !== undefined && <bdi className={hostClass}> ({target})</bdi>}
    </a>
  )
}
