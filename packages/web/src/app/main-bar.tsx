import type { ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Count } from '../ui/count.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useClient } from './client-context.ts'
import { usePanes } from './panes.ts'
import { useStore } from './store.ts'

interface MainBarProps {
  icon?: IconName
  title?: string
  about?: string | null
  children?: ReactNode
}

/** The head of what is open; on a narrow screen with the way back to the lists. */
export function MainBar({ icon, title, about, children }: MainBarProps) {
  return (
    <header className="bar main-bar">
      <MenuButton />
      {icon && <Icon name={icon} />}
      {title && <h1 className="main-title ellipsis">{title}</h1>}
      <p className="main-about ellipsis grow">{about}</p>
      {children}
    </header>
  )
}

/** On a narrow screen the lists are out of sight: their button says that something waits in one. */
function MenuButton() {
  const t = useT()
  const { navOpen, setNav } = usePanes()
  const unread = useStore(useClient().unread.store, map => map)
  const waits = unread.size > 0
  const mentions = [...unread.values()].reduce((sum, channel) => sum + channel.mentions, 0)
  return (
    <button
      type="button"
      className={waits ? 'icon-button only-narrow menu-button unread' : 'icon-button only-narrow menu-button'}
      aria-label={waits ? `${t('nav.openNav')}, ${t('nav.unread')}` : t('nav.openNav')}
      aria-expanded={navOpen}
      onClick={() => setNav(true)}
    >
      <Icon name="menu" />
      <Count count={mentions} />
    </button>
  )
}
