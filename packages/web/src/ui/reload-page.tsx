import { useT } from '../core/i18n/i18n.tsx'
import { Icon } from './icon.tsx'

/** Replaces a page that needs a reload. */
export function ReloadPage({ title }: { title: string }) {
  return (
    <main className="empty">
      <Icon name="warning" />
      <div role="alert">
        <h1>{title}</h1>
      </div>
      <div className="line">
        <ReloadButton />
      </div>
    </main>
  )
}

export function ReloadButton() {
  const t = useT()
  return (
    <button type="button" className="button" onClick={() => location.reload()}>
      {t('app.reload')}
    </button>
  )
}
