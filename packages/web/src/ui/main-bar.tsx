import type { ReactNode } from 'react'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { useStore } from '../core/stores/store.ts'
import { sumMentions } from '../core/stores/unread.ts'
import { CountBadge } from './count-badge.tsx'
import { Icon, type IconName } from './icon.tsx'
import { usePanes } from './panes.ts'

interface MainBarProps {
  icon?: IconName
  /** Alternative text of the icon, if the title does not imply it. */
  iconLabel?: string
  title?: string
  topic?: string | null
  children?: ReactNode
}

/** The header of the main pane. On a narrow screen it has the button that opens the navigation. */
export function MainBar({ icon, iconLabel, title, topic, children }: MainBarProps) {
  return (
    <header className="bar main-bar">
      <MenuButton />
      {icon && <Icon name={icon} />}
      {iconLabel && <span className="visually-hidden">{iconLabel}</span>}
      {title && (
        <h1 className="main-title ellipsis" dir="auto">
          {title}
        </h1>
      )}
      <p className="main-topic ellipsis grow" dir="auto">
        {topic}
      </p>
      {children}
    </header>
  )
}

/** Shows whether there are unread messages, because the navigation is hidden on a narrow screen. */
function MenuButton() {
  const t = useT()
  const { navOpen, setNav } = usePanes()
  const unread = useStore(useClient().unread.store, map => map)
  const hasUnread = unread.size > 0
  return (
    <button
      type="button"
      className={
        hasUnread ? 'icon-button only-narrow menu-button unread' : 'icon-button only-narrow menu-button'
      }
      aria-label={hasUnread ? `${t('nav.openNav')}, ${t('nav.unread')}` : t('nav.openNav')}
      aria-expanded={navOpen}
      onClick={() => setNav(true)}
    >
      <Icon name="menu" />
      <CountBadge count={sumMentions(unread.values())} />
    </button>
  )
}
