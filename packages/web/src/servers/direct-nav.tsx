import { NavLink } from 'react-router'
import { useDirectChannels } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Count } from '../ui/count.tsx'

/** One's direct messages. */
export function DirectNav() {
  const t = useT()
  const unread = useStore(useClient().unread.store, map => map)
  const { data: channels } = useDirectChannels()
  return (
    <nav aria-label={t('nav.direct')}>
      <header className="bar">
        <h2 className="nav-title ellipsis">{t('nav.direct')}</h2>
      </header>
      <div className="nav-list">
        {channels?.length === 0 && (
          <div className="nav-note">
            <strong>{t('dm.empty')}</strong>
            <p>{t('dm.emptyHint')}</p>
          </div>
        )}
        <ul>
          {channels?.map(channel => {
            const other = channel.recipient
            const waits = unread.get(channel.id)
            if (!other) return null
            return (
              <li key={channel.id} className={waits ? 'nav-item person unread' : 'nav-item person'}>
                <NavLink to={`/channels/@me/${channel.id}`}>
                  <Avatar src={other.avatar} name={other.displayName} size={32} />
                  <span className="ellipsis grow">{other.displayName}</span>
                  {other.bot && <span className="badge">{t('chat.bot')}</span>}
                  <Count count={waits?.mentions ?? 0} />
                </NavLink>
              </li>
            )
          })}
        </ul>
      </div>
    </nav>
  )
}
