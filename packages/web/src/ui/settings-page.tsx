import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { CountBadge } from './count-badge.tsx'
import { Icon, type IconName } from './icon.tsx'
import { PartBoundary } from './part-boundary.tsx'
import { UnsavedProvider, useUnsavedForms } from './unsaved.ts'
import { useDocumentTitle } from './use-document-title.ts'
import { useEscape } from './use-escape.ts'
import './settings.css'

export interface Section {
  id: string
  label: string
  icon: IconName
  /** Shown beside the label, unless it is 0. */
  count?: number
  render(): ReactNode
}

interface SettingsPageProps {
  title: string
  /** The path of the page. `/<id>` of a section is appended. */
  base: string
  /** The path to navigate to on close. */
  back: string
  sections: readonly Section[]
  current: string | undefined
  children?: ReactNode
}

/** A page with sections. Escape closes it. Unsaved changes need a confirmation. */
export function SettingsPage({ title, base, back, sections, current, children }: SettingsPageProps) {
  const t = useSettingsT()
  const navigate = useNavigate()
  const section = sections.find(({ id }) => id === current) ?? sections[0]
  useDocumentTitle([section?.label ?? title])
  const list = useRef<HTMLUListElement>(null)
  const sectionId = section?.id
  // On a narrow screen, the list of sections scrolls.
  useEffect(() => {
    if (sectionId) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [sectionId])
  const unsaved = useUnsavedForms({
    secretTexts: {
      title: t('settings.notCopied'),
      text: t('settings.notCopiedText'),
      action: t('settings.leaveAnyway'),
    },
  })
  const close = useCallback(() => unsaved.leave(() => void navigate(back)), [unsaved, back, navigate])
  useEscape(close)
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={title}>
        <p className="settings-title ellipsis">{title}</p>
        <ul ref={list}>
          {sections.map(({ id, label, icon, count = 0 }) => (
            <li key={id}>
              <Link
                className="settings-link"
                to={`${base}/${id}`}
                aria-current={id === section?.id ? 'page' : undefined}
              >
                <Icon name={icon} />
                {label}
                <CountBadge count={count} />
              </Link>
            </li>
          ))}
        </ul>
        {children}
      </nav>
      <main className="settings-main">
        <div className="settings-header">
          <h1>{section?.label ?? title}</h1>
          <button
            type="button"
            className="icon-button"
            aria-label={t('action.close')}
            title={`${t('action.close')} (Esc)`}
            onClick={close}
          >
            <Icon name="close" />
          </button>
        </div>
        <UnsavedProvider value={unsaved}>
          <PartBoundary>{section?.render()}</PartBoundary>
        </UnsavedProvider>
      </main>
    </div>
  )
}

interface PanelProps {
  title?: string
  hint?: ReactNode
  children: ReactNode
}

/** A part of a section with its own heading. */
export function Panel({ title, hint, children }: PanelProps) {
  return (
    <section className="panel">
      {title && <h2>{title}</h2>}
      {hint && <p className="hint">{hint}</p>}
      {children}
    </section>
  )
}
