import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { claimReload } from './build.ts'
import { ReloadButton, ReloadPage } from './reload-page.tsx'

interface NewVersionNoticeProps {
  build: string
  /** `page` replaces the previous page; `part` is shown in addition to the page. */
  kind: 'page' | 'part'
}

/**
 * Replaces a component whose chunk no longer exists because the service was upgraded. Reloads the page, or asks the
 * user to do so if a reload was tried before or would lose input.
 */
export function NewVersionNotice({ build, kind }: NewVersionNoticeProps) {
  const t = useT()
  const { timelines } = useClient()
  const [needsConfirmation, setNeedsConfirmation] = useState(false)
  useEffect(() => {
    const hasUnsent = [...timelines.store.get().values()].some(({ pending }) => pending.length > 0)
    const losesInput = hasUnsent || (kind === 'part' && hasFields())
    if (!losesInput && claimReload(build)) location.reload()
    else setNeedsConfirmation(true)
  }, [timelines, build, kind])
  if (!needsConfirmation) return null
  if (kind === 'page') return <ReloadPage title={t('app.updated')} />
  return createPortal(
    <div className="toast" role="alert">
      <span className="grow">{t('app.updated')}</span>
      <ReloadButton />
    </div>,
    document.body,
  )
}

/** Whether the page has form fields. The composer does not count, because its draft survives a reload. */
function hasFields(): boolean {
  return document.querySelector('input, select, textarea:not(.composer-text)') !== null
}
