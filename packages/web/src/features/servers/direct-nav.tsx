import { NavLink } from 'react-router'
import { useDirectChannels } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useStore } from '../../core/stores/store.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { CountBadge } from '../../ui/count-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LazyMenu } from '../../ui/lazy-menu.tsx'
import { usePanes } from '../../ui/panes.ts'
import { NavStatus } from './nav-status.tsx'
import { useConversationEntries } from './use-conversation-entries.tsx'

/** The list of direct message channels. */
export function DirectNav() {
  const t = useT()
  const { unread: store } = useClient()
  const unreadChannels = useStore(store.store, map => map)
  const muted = useStore(store.muted, ids => ids)
  const { entriesOf, dialog } = useConversationEntries()
  const { isCovering } = usePanes()
  const query = useDirectChannels()
  const { data: channels } = query
  return (
    <nav aria-label={t('nav.direct')}>
      <header className="bar">
        <h2 className="nav-title ellipsis">{t('nav.direct')}</h2>
      </header>
      <div className="nav-list">
        {!channels && <NavStatus isError={query.isError} refetch={query.refetch} />}
        {channels?.length === 0 && (
          <div className="nav-message">
            <strong>{t('dm.empty')}</strong>
            <p>{t('dm.emptyHint')}</p>
          </div>
        )}
        <ul>
          {channels?.map(channel => {
            const { recipient } = channel
            const unread = unreadChannels.get(channel.id)
            if (!recipient) return null
            const isMuted = muted.has(channel.id)
            return (
              <li key={channel.id} className={unread ? 'nav-item person unread' : 'nav-item person'}>
                <NavLink to={`/channels/@me/${channel.id}`} replace={isCovering}>
                  <Avatar src={recipient.avatar} name={recipient.displayName} size={32} />
                  <span className="names grow">
                    <span className="ellipsis">{recipient.displayName}</span>
                    <small className="ellipsis">@{recipient.username}</small>
                  </span>
                  {recipient.bot && <span className="badge">{t('chat.bot')}</span>}
                  {isMuted && (
                    <>
                      <Icon name="mute" />
                      <span className="visually-hidden">{t('dm.muted')}</span>
                    </>
                  )}
                  <CountBadge count={unread?.mentions ?? 0} />
                </NavLink>
                <LazyMenu
                  label={t('dm.menu', { name: recipient.displayName })}
                  className="icon-button"
                  entries={entriesOf(channel.id, recipient)}
                >
                  <Icon name="more" />
                </LazyMenu>
              </li>
            )
          })}
        </ul>
      </div>
      {dialog}
    </nav>
  )
}
