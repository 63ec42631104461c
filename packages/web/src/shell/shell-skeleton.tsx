import { useIsWaitingForService } from '../core/api/queries.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { MessagePlaceholders } from '../features/chat/index.ts'
import './shell.css'

/** Placeholders with the layout of the page, so that nothing moves when the content is loaded. */
export function ShellSkeleton() {
  const t = useT()
  const isWaiting = useIsWaitingForService()
  return (
    <div className="shell" aria-busy="true">
      <p className="visually-hidden" role="status">
        {t('app.loading')}
      </p>
      <div className="side">
        <div className="rail">
          {[1, 2, 3].map(row => (
            <span key={row} className="rail-tile skeleton" />
          ))}
        </div>
        <div className="nav">
          <div className="nav-body">
            <div className="bar" />
            <div className="nav-list">
              {[70, 50, 60, 45].map(width => (
                <span
                  key={width}
                  className="skeleton skeleton-nav-item"
                  style={{ inlineSize: `${width}%` }}
                />
              ))}
            </div>
          </div>
        </div>
      </div>
      <div className="main">
        <div role="status">
          {isWaiting && (
            <p className="connection">
              <span className="connection-dot" aria-hidden="true" />
              {t('connection.unreachable')}
            </p>
          )}
        </div>
        <div className="bar" />
        <MessagePlaceholders />
      </div>
    </div>
  )
}
