import { Link } from 'react-router'
import { useT } from '../core/i18n/i18n.tsx'
import { Icon } from './icon.tsx'

export function NotFound() {
  const t = useT()
  return (
    <main className="empty">
      <Icon name="eye" />
      <h1>{t('app.notFound')}</h1>
      <div className="line">
        <Link className="button" to="/">
          {t('app.home')}
        </Link>
      </div>
    </main>
  )
}
