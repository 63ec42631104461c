import type { ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { usePanes } from './panes.ts'

interface MainBarProps {
  icon?: IconName
  title?: string
  about?: string | null
  children?: ReactNode
}

/** The head of what is open; on a narrow screen with the way back to the lists. */
export function MainBar({ icon, title, about, children }: MainBarProps) {
  const t = useT()
  const { navOpen, setNav } = usePanes()
  return (
    <header className="bar main-bar">
      <button
        type="button"
        className="icon-button only-narrow"
        aria-label={t('nav.openNav')}
        aria-expanded={navOpen}
        onClick={() => setNav(true)}
      >
        <Icon name="menu" />
      </button>
      {icon && <Icon name={icon} />}
      {title && <h1 className="main-title ellipsis">{title}</h1>}
      <p className="main-about ellipsis grow">{about}</p>
      {children}
    </header>
  )
}
