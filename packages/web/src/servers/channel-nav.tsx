import type { Channel } from '@gatehouse/protocol/channels'
import { Permission } from '@gatehouse/protocol/permissions'
import { Suspense, useState } from 'react'
import { Link, NavLink, useNavigate } from 'react-router'
import { useChannels, useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Count } from '../ui/count.tsx'
import { Icon } from '../ui/icon.tsx'
import { LazyMenu } from '../ui/lazy-menu.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import type { MenuEntry } from '../ui/menu.tsx'
import { managesMembers, mayOnServer } from './permissions.ts'

const CreateChannelDialog = lazyPart(() =>
  import('./create-channel-dialog.tsx').then(part => part.CreateChannelDialog),
)
const InviteDialog = lazyPart(() => import('./invite-dialog.tsx').then(part => part.InviteDialog))

/** The channels of a server, and what can be done with it. */
export function ChannelNav({ serverId }: { serverId: string }) {
  const t = useT()
  const client = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: channels, isError, refetch } = useChannels(serverId)
  const [dialog, setDialog] = useState<'channel' | 'invite'>()
  const manages = mayOnServer(server, Permission.MANAGE_CHANNELS)
  const name = server?.name ?? ''

  const entries: MenuEntry[] = [
    { id: 'invite', label: t('server.invite'), icon: 'people', run: () => setDialog('invite') },
  ]
  if (manages) {
    entries.push({
      id: 'channel',
      label: t('server.createChannel'),
      icon: 'plus',
      run: () => setDialog('channel'),
    })
  }
  if (managesMembers(server)) {
    const run = () => void navigate(`/channels/${serverId}/settings`)
    entries.push({ id: 'settings', label: t('server.settings'), icon: 'settings', run })
  }
  if (server && !server.owner) {
    const leave = async () => {
      await client.api.send('DELETE', `/api/servers/${serverId}/members/@me`)
      await navigate('/channels/@me')
    }
    const ask = () =>
      confirm({
        title: t('server.leave'),
        text: t('server.leaveConfirm', { name }),
        action: t('server.leave'),
        run: leave,
      })
    entries.push({ id: 'leave', label: t('server.leave'), icon: 'exit', bad: true, run: ask })
  }

  return (
    <nav aria-label={t('nav.channels')}>
      <header className="bar">
        <h2 className="nav-title ellipsis grow">{name}</h2>
        {server && (
          <LazyMenu label={t('server.menu', { name })} className="icon-button" entries={entries}>
            <Icon name="chevron" />
          </LazyMenu>
        )}
      </header>
      <div className="nav-list">
        <div className="nav-head">
          <span>{t('nav.channels')}</span>
          {manages && (
            <button
              type="button"
              className="icon-button"
              aria-label={t('server.createChannel')}
              title={t('server.createChannel')}
              onClick={() => setDialog('channel')}
            >
              <Icon name="plus" />
            </button>
          )}
        </div>
        {channels ? (
          <ChannelList channels={channels} manages={manages} />
        ) : isError ? (
          <div className="nav-note">
            <p>{t('app.failed')}</p>
            <button type="button" className="button soft small" onClick={() => void refetch()}>
              {t('app.retry')}
            </button>
          </div>
        ) : (
          [60, 45, 70].map(width => (
            <span key={width} className="skeleton nav-ghost" style={{ inlineSize: `${width}%` }} />
          ))
        )}
      </div>
      <Suspense fallback={null}>
        {dialog === 'channel' && (
          <CreateChannelDialog serverId={serverId} onClose={() => setDialog(undefined)} />
        )}
        {dialog === 'invite' && (
          <InviteDialog serverId={serverId} name={name} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </nav>
  )
}

function ChannelList({ channels, manages }: { channels: readonly Channel[]; manages: boolean }) {
  const t = useT()
  const unread = useStore(useClient().unread.store, map => map)
  if (channels.length === 0) return <p className="nav-note">{t('server.noChannels')}</p>
  const inOrder = [...channels].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
  return (
    <ul className="nav-channels">
      {inOrder.map(channel => {
        const waits = unread.get(channel.id)
        const name = channel.name ?? ''
        return (
          <li key={channel.id} className={waits ? 'nav-item unread' : 'nav-item'}>
            <NavLink to={`/channels/${channel.serverId}/${channel.id}`}>
              <Icon name="hash" />
              <span className="ellipsis grow">{name}</span>
              {waits && <span className="unseen">{t('nav.unread')}</span>}
              <Count count={waits?.mentions ?? 0} />
            </NavLink>
            {manages && (
              <Link
                className="icon-button"
                to={`/channels/${channel.serverId}/${channel.id}/settings`}
                aria-label={t('channel.settings', { name })}
                title={t('channel.settings', { name })}
              >
                <Icon name="settings" />
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
