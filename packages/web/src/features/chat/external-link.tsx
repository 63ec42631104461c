import type { ReactNode } from 'react'
import { useTabIndex } from '../../ui/roving-focus.ts'

interface ExternalLinkProps {
  href: string
  children?: ReactNode
  className?: string
}

/** A link with an untrusted URL: the linked page gets neither a referrer nor an opener. */
export function ExternalLink({ href, children, className }: ExternalLinkProps) {
  const tabIndex = useTabIndex()
  return (
    <a
      className={className}
      href={href}
      tabIndex={tabIndex}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      {children ?? href}
    </a>
  )
}
