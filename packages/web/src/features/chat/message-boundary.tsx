import type { ReactNode } from 'react'
import { useT } from '../../core/i18n/i18n.tsx'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { Icon } from '../../ui/icon.tsx'

interface MessageBoundaryProps {
  /** Another message, also after an edit, is rendered again. */
  message: object
  children: ReactNode
}

/** A message that cannot be rendered is a notice. The messages around it are not affected. */
export function MessageBoundary({ message, children }: MessageBoundaryProps) {
  return (
    <ErrorBoundary resetKey={message} fallback={() => <BrokenMessage />}>
      {children}
    </ErrorBoundary>
  )
}

function BrokenMessage() {
  const t = useT()
  return (
    <p className="notice danger">
      <Icon name="warning" />
      {t('chat.broken')}
    </p>
  )
}
