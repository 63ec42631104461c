import type { UserServer } from '@gatehouse/protocol/servers'
import { Suspense, useState } from 'react'
import { NavLink, useParams } from 'react-router'
import { useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import type { UnreadChannel } from '../chat/unread.ts'
import { useT } from '../i18n/i18n.tsx'
import { initials } from '../ui/avatar.tsx'
import { Count } from '../ui/count.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'

const AddServerDialog = lazyPart(() => import('./add-server-dialog.tsx').then(part => part.AddServerDialog))

/** The servers that one is a member of, direct messages first. */
export function ServerRail() {
  const t = useT()
  const servers = useServers()
  const { serverId } = useParams()
  const unread = useStore(useClient().unread.store, map => map)
  const [adding, setAdding] = useState(false)
  const direct = sum(unread, null)
  return (
    <nav className="rail" aria-label={t('nav.servers')}>
      <div className={direct.waits ? 'rail-item unread' : 'rail-item'}>
        <NavLink
          to="/channels/@me"
          className="rail-tile"
          aria-label={t('nav.direct')}
          title={t('nav.direct')}
          aria-current={serverId ? undefined : 'page'}
        >
          <Icon name="chat" />
        </NavLink>
        <Count count={direct.mentions} />
      </div>
      <span className="rail-line" />
      {servers.map(server => (
        <RailServer key={server.id} server={server} unread={sum(unread, server.id)} />
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
  unread: { waits: boolean; mentions: number }
}) {
  const t = useT()
  const { waits } = unread
  return (
    <div className={waits ? 'rail-item unread' : 'rail-item'}>
      <NavLink
        to={`/channels/${server.id}`}
        className="rail-tile"
        aria-label={waits ? `${server.name}, ${t('nav.unread')}` : server.name}
        title={server.name}
      >
        {server.icon ? <img src={server.icon} alt="" /> : initials(server.name)}
      </NavLink>
      <Count count={unread.mentions} />
    </div>
  )
}

function sum(unread: ReadonlyMap<string, UnreadChannel>, serverId: string | null) {
  const list = [...unread.values()].filter(channel => channel.serverId === serverId)
  return { waits: list.length > 0, mentions: list.reduce((total, { mentions }) => total + mentions, 0) }
}
