import { problemText } from '../../core/api/client.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Shown instead of what could not be loaded. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useT()
  return (
    <div className="empty" role="alert">
      <Icon name="warning" />
      <h2>{t('app.failed')}</h2>
      <p>{problemText(error, t)}</p>
      <div className="line">
        <button type="button" className="button" onClick={onRetry}>
          {t('app.retry')}
        </button>
      </div>
    </div>
  )
}
