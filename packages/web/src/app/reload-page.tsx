import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'

/** In the place of a page that cannot go on as it is: what is the matter, and the way out. */
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
