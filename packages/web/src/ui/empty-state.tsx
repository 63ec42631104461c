import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  icon: IconName
  title?: string
  text: string
  /** `alert` announces it to screen readers. */
  role?: 'alert'
  /** Buttons and links. */
  children?: ReactNode
}

/** Shown instead of an empty list, or of what could not be loaded. */
export function EmptyState({ icon, title, text, role, children }: EmptyStateProps) {
  return (
    <div className="empty" role={role}>
      <Icon name={icon} />
      {title && <h2>{title}</h2>}
      <p>{text}</p>
      {children && <div className="line">{children}</div>}
    </div>
  )
}
