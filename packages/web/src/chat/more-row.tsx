import { useT } from '../i18n/i18n.tsx'
import type { Edge } from './use-pages.ts'

/** In the place of messages that are being loaded. */
export function MoreRow({ edge: { failed, retry }, text }: { edge: Edge; text: string }) {
  const t = useT()
  return (
    <div className="older" role="status">
      {failed ? (
        <button type="button" className="button soft small" onClick={retry}>
          {t('app.retry')}
        </button>
      ) : (
        <>
          <span className="unseen">{text}</span>
          <span className="skeleton line-ghost" style={{ inlineSize: '30%' }} />
          <span className="skeleton line-ghost" style={{ inlineSize: '55%' }} />
          <span className="skeleton line-ghost" style={{ inlineSize: '42%' }} />
        </>
      )}
    </div>
  )
}
