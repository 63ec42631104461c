import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useT } from '../i18n/i18n.tsx'
import { firstReloadFor } from './build.ts'
import { useClient } from './client-context.ts'
import { ReloadButton, ReloadPage } from './reload-page.tsx'

interface OutdatedProps {
  build: string
  /** A page stands in the place of another; a part beside what is on the screen. */
  kind: 'page' | 'part'
}

/**
 * In the place of what went with the build that runs, when the service was upgraded. Reloads by itself, unless that was
 * tried or something would be lost by it: then it is left to the person.
 */
export function Outdated({ build, kind }: OutdatedProps) {
  const t = useT()
  const { timelines } = useClient()
  const [asks, setAsks] = useState(false)
  useEffect(() => {
    const unsent = [...timelines.store.get().values()].some(({ pending }) => pending.length > 0)
    const loses = unsent || (kind === 'part' && hasFields())
    if (!loses && firstReloadFor(build)) location.reload()
    else setAsks(true)
  }, [timelines, build, kind])
  if (!asks) return null
  if (kind === 'page') return <ReloadPage title={t('app.updated')} />
  return createPortal(
    <div className="outdated" role="alert">
      <span className="grow">{t('app.updated')}</span>
      <ReloadButton />
    </div>,
    document.body,
  )
}

/** Whether there is anything to fill in on the page but the composer, whose draft is kept. */
function hasFields(): boolean {
  return document.querySelector('input, select, textarea:not(.composer-text)') !== null
}
