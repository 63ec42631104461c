import { useT } from '../../core/i18n/i18n.tsx'
import './chat.css'

const lines = [[38, 62], [24], [55, 30], [44], [66, 20], [30]]

/** Placeholders while the messages are loading, announced to screen readers. */
export function MessagesSkeleton() {
  const t = useT()
  return (
    <>
      <p className="visually-hidden" role="status">
        {t('app.loading')}
      </p>
      <MessagePlaceholders />
    </>
  )
}

export function MessagePlaceholders() {
  return (
    <div className="messages-skeleton" aria-busy="true">
      {lines.map(widths => (
        <div key={widths.join()} className="message">
          <span className="skeleton skeleton-avatar" />
          <div className="stack-small">
            <span className="skeleton skeleton-line" style={{ inlineSize: '110px' }} />
            {widths.map(width => (
              <span key={width} className="skeleton skeleton-line" style={{ inlineSize: `${width}%` }} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
