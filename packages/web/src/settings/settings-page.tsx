import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { type Bounds, fieldProblems } from '../api/client.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'
import './settings.css'

export interface Section {
  id: string
  label: string
  icon: IconName
  render(): ReactNode
}

interface SettingsPageProps {
  title: string
  /** The address of the page, to which a section's id is added. */
  base: string
  /** Where closing leads to. */
  back: string
  sections: readonly Section[]
  current: string | undefined
  children?: ReactNode
}

/** A page of settings: its sections at the side, on a narrow screen above. Escape closes. */
export function SettingsPage({ title, base, back, sections, current, children }: SettingsPageProps) {
  const t = useT()
  const navigate = useNavigate()
  const section = sections.find(({ id }) => id === current) ?? sections[0]
  useDocumentTitle(section?.label ?? title)
  const list = useRef<HTMLUListElement>(null)
  const shown = section?.id
  // On a narrow screen the sections are wider than it is.
  useEffect(() => {
    if (shown) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [shown])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inside = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')
      if (event.key === 'Escape' && !inside && !event.defaultPrevented) void navigate(back)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [back, navigate])
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={title}>
        <p className="settings-title ellipsis">{title}</p>
        <ul ref={list}>
          {sections.map(({ id, label, icon }) => (
            <li key={id}>
              <Link
                className="settings-link"
                to={`${base}/${id}`}
                aria-current={id === section?.id ? 'page' : undefined}
              >
                <Icon name={icon} />
                {label}
              </Link>
            </li>
          ))}
        </ul>
        {children}
      </nav>
      <main className="settings-main">
        <div className="settings-head">
          <h1>{section?.label ?? title}</h1>
          <button
            type="button"
            className="icon-button"
            aria-label={t('action.close')}
            title={`${t('action.close')} (Esc)`}
            onClick={() => void navigate(back)}
          >
            <Icon name="close" />
          </button>
        </div>
        {section?.render()}
      </main>
    </div>
  )
}

interface PanelProps {
  title?: string
  hint?: ReactNode
  children: ReactNode
}

/** A part of a section, with a name of its own. */
export function Panel({ title, hint, children }: PanelProps) {
  return (
    <section className="panel">
      {title && <h2>{title}</h2>}
      {hint && <p className="hint">{hint}</p>}
      {children}
    </section>
  )
}

interface SaveBarProps {
  dirty: boolean
  busy: boolean
  saved: boolean
  problem?: string | undefined
  label?: string
}

/** The end of a form: what became of it, and the button that sends it. */
export function SaveBar({ dirty, busy, saved, problem, label }: SaveBarProps) {
  const t = useT()
  return (
    <div className="line">
      <button type="submit" className="button" disabled={!dirty || busy}>
        {label ?? t('action.save')}
      </button>
      <span role="status" className="hint">
        {saved && !dirty ? t('action.saved') : ''}
      </span>
      {problem && (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
    </div>
  )
}

/**
 * The state of a form that sends one request: busy, done, or why not. What is wrong with one of `fields`, which are named
 * as the service names them, stands under `at`; `problem` is the rest.
 */
export function useSubmit<Name extends string = never>(
  describe: (error: unknown) => string,
  fields?: Readonly<Record<Name, Bounds>>,
) {
  const t = useT()
  const [state, setState] = useState<{ busy: boolean; saved: boolean; error?: unknown }>({
    busy: false,
    saved: false,
  })
  async function submit(request: () => Promise<unknown>): Promise<boolean> {
    setState({ busy: true, saved: false })
    try {
      await request()
      setState({ busy: false, saved: true })
      return true
    } catch (error) {
      setState({ busy: false, saved: false, error })
      return false
    }
  }
  const { busy, saved, error } = state
  const at = fieldProblems(error, fields, t)
  const located = Object.keys(at).length > 0
  const problem = error === undefined || located ? undefined : describe(error)
  return { busy, saved, error, problem, at, submit }
}
