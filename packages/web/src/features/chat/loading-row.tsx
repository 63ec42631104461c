import { useT } from '../../core/i18n/i18n.tsx'
import type { PageRequest } from './use-pages.ts'

/** Shown before or after the loaded messages while a page is loading. */
export function LoadingRow({ page: { failed, retry }, text }: { page: PageRequest; text: string }) {
  const t = useT()
  return (
    <div className="loading-row" role="status">
      {failed ? (
        <button type="button" className="button secondary small" onClick={retry}>
          {t('app.retry')}
        </button>
      ) : (
        <>
          <span className="visually-hidden">{text}</span>
          <span className="skeleton skeleton-line" style={{ inlineSize: '30%' }} />
          <span className="skeleton skeleton-line" style={{ inlineSize: '55%' }} />
          <span className="skeleton skeleton-line" style={{ inlineSize: '42%' }} />
        </>
      )}
    </div>
  )
}
