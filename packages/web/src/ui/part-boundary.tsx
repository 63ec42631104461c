import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useT } from '../core/i18n/i18n.tsx'
import { EmptyState } from './empty-state.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

/** If its children cannot be rendered, the user can still use the other parts of the page. */
export function PartBoundary({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary resetKey={pathname} fallback={retry => <BrokenPart onRetry={retry} />}>
      {children}
    </ErrorBoundary>
  )
}

function BrokenPart({ onRetry }: { onRetry(): void }) {
  const t = useT()
  return (
    <EmptyState icon="warning" text={t('app.partCrashed')} role="alert">
      <button type="button" className="button" onClick={onRetry}>
        {t('app.retry')}
      </button>
    </EmptyState>
  )
}
