import type { ReactNode } from 'react'

interface ExternalLinkProps {
  href: string
  children?: ReactNode
  className?: string
}

/** A link that a stranger wrote: the page behind it learns nothing of this one. */
export function ExternalLink({ href, children, className }: ExternalLinkProps) {
  return (
    <a className={className} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? href}
    </a>
  )
}
