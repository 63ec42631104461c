import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  icon: IconName
  title?: string
  text: string
  /** Buttons and links. */
  children?: ReactNode
}

/** Shown instead of an empty list. */
export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      {title && <h2>{title}</h2>}
      <p>{text}</p>
      {children && <div className="line">{children}</div>}
    </div>
  )
}
