import { useT } from '../../core/i18n/i18n.tsx'
import './chat.css'

const lines = [[38, 62], [24], [55, 30], [44], [66, 20], [30]]

/** Placeholders while the messages are loading, announced to screen readers. */
export function MessagesSkeleton() {
  const t = useT()
  return (
    <>
      <p className="unseen" role="status">
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
          <span className="skeleton message-ghost" />
          <div className="stack-small">
            <span className="skeleton line-ghost" style={{ inlineSize: '110px' }} />
            {widths.map(width => (
              <span key={width} className="skeleton line-ghost" style={{ inlineSize: `${width}%` }} />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
