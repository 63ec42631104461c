import type { useChannels } from '../../core/api/queries.ts'
import { useT } from '../../core/i18n/i18n.tsx'

/** Shown instead of a list of channels that is loading or could not be loaded. */
export function NavStatus({ isError, refetch }: Pick<ReturnType<typeof useChannels>, 'isError' | 'refetch'>) {
  const t = useT()
  if (!isError) {
    return [60, 45, 70].map(width => (
      <span key={width} className="skeleton skeleton-nav-item" style={{ inlineSize: `${width}%` }} />
    ))
  }
  return (
    <div className="nav-message">
      <p>{t('app.failed')}</p>
      <button type="button" className="button secondary small" onClick={() => void refetch()}>
        {t('app.retry')}
      </button>
    </div>
  )
}
