import { useT } from '../i18n/i18n.tsx'

const lines = [[38, 62], [24], [55, 30], [44], [66, 20], [30]]

/** The shape of a list of messages while it is on the way. */
export function MessagesSkeleton() {
  const t = useT()
  return (
    <div className="messages-skeleton" aria-busy="true">
      <p className="unseen" role="status">
        {t('app.loading')}
      </p>
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
