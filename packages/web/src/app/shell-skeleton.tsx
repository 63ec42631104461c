import { useT } from '../i18n/i18n.tsx'
import './shell.css'

/** The shape of the page while its content is on the way: nothing moves when it comes. */
export function ShellSkeleton() {
  const t = useT()
  return (
    <div className="shell" aria-busy="true">
      <p className="unseen" role="status">
        {t('app.loading')}
      </p>
      <div className="side">
        <div className="rail">
          {[1, 2, 3].map(row => (
            <span key={row} className="rail-tile skeleton" />
          ))}
        </div>
        <div className="nav">
          <div className="bar" />
          <div className="nav-list">
            {[70, 50, 60, 45].map(width => (
              <span key={width} className="skeleton nav-ghost" style={{ inlineSize: `${width}%` }} />
            ))}
          </div>
        </div>
      </div>
      <div className="main">
        <div className="bar" />
      </div>
    </div>
  )
}
