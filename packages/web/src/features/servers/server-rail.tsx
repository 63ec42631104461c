import type { UserServer } from '@gatehouse/protocol/servers'
import { Suspense, useState } from 'react'
import { NavLink, useParams } from 'react-router'
import { useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useStore } from '../../core/stores/store.ts'
import { sumMentions, type UnreadChannel } from '../../core/stores/unread.ts'
import { CountBadge } from '../../ui/count-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { initials } from '../../ui/initials.ts'
import { usePanes } from '../../ui/panes.ts'
import { AddServerDialog } from './lazy-dialogs.ts'

/** Links to the direct messages and to the servers of the user. */
export function ServerRail() {
  const t = useT()
  const servers = useServers()
  const { serverId } = useParams()
  const unread = useStore(useClient().unread.store, map => map)
  const { isCovering } = usePanes()
  const [adding, setAdding] = useState(false)
  const direct = sumUnread(unread, null)
  return (
    <nav className="rail" aria-label={t('nav.servers')}>
      <div className={direct.isUnread ? 'rail-item unread' : 'rail-item'}>
        <NavLink
          to="/channels/@me"
          replace={isCovering}
          className="rail-tile"
          aria-label={t('nav.direct')}
          title={t('nav.direct')}
          aria-current={serverId ? undefined : 'page'}
        >
          <Icon name="chat" />
        </NavLink>
        <CountBadge count={direct.mentions} />
      </div>
      <span className="rail-line" />
      {servers.map(server => (
        <RailServer key={server.id} server={server} unread={sumUnread(unread, server.id)} />
      ))}
      <div className="rail-item">
        <button
          type="button"
          className="rail-tile"
          aria-label={t('server.add')}
          title={t('server.add')}
          onClick={() => setAdding(true)}
        >
          <Icon name="plus" />
        </button>
      </div>
      {adding && (
        <Suspense fallback={null}>
          <AddServerDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </nav>
  )
}

function RailServer({
  server,
  unread,
}: {
  server: UserServer
  unread: { isUnread: boolean; mentions: number }
}) {
  const t = useT()
  const { isCovering } = usePanes()
  const { isUnread } = unread
  return (
    <div className={isUnread ? 'rail-item unread' : 'rail-item'}>
      <NavLink
        to={`/channels/${server.id}`}
        replace={isCovering}
        className="rail-tile"
        aria-label={isUnread ? `${server.name}, ${t('nav.unread')}` : server.name}
        title={server.name}
      >
        {server.icon ? <img src={server.icon} alt="" /> : initials(server.name)}
      </NavLink>
      <CountBadge count={unread.mentions} />
    </div>
  )
}

function sumUnread(unread: ReadonlyMap<string, UnreadChannel>, serverId: string | null) {
  const channels = [...unread.values()].filter(channel => channel.serverId === serverId)
  return { isUnread: channels.length > 0, mentions: sumMentions(channels) }
}
