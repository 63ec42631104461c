import { problemText } from '../core/api/client.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { EmptyState } from './empty-state.tsx'

/** Shown instead of what could not be loaded. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useT()
  return (
    <EmptyState icon="warning" title={t('app.failed')} text={problemText(error, t)} role="alert">
      <button type="button" className="button" onClick={onRetry}>
        {t('app.retry')}
      </button>
    </EmptyState>
  )
}
