import type { Channel } from '@gatehouse/protocol/channels'
import { permissionFor } from '@gatehouse/protocol/permissions'
import { Suspense, useState } from 'react'
import { Link, NavLink, useNavigate } from 'react-router'
import { useChannels, useOpenReports, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { canManageMembers, canSeeReports, hasServerPermission } from '../../core/servers/permissions.ts'
import { useIsPrivate } from '../../core/servers/use-viewers.ts'
import { useStore } from '../../core/stores/store.ts'
import type { UnreadChannel } from '../../core/stores/unread.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { CountBadge } from '../../ui/count-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LazyMenu } from '../../ui/lazy-menu.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { usePanes } from '../../ui/panes.ts'
import { InviteDialog } from './lazy-dialogs.ts'
import { NavStatus } from './nav-status.tsx'

const CreateChannelDialog = lazyComponent(() =>
  import('./create-channel-dialog.tsx').then(part => part.CreateChannelDialog),
)

/** The channel list of a server, with the server menu. */
export function ChannelNav({ serverId }: { serverId: string }) {
  const t = useT()
  const client = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const server = useServers().find(({ id }) => id === serverId)
  const query = useChannels(serverId)
  const { data: channels } = query
  const [dialog, setDialog] = useState<'channel' | 'invite'>()
  const openReports = useOpenReports(server)
  const canManage = hasServerPermission(server, permissionFor.manageChannels)
  const name = server?.name ?? ''

  const entries: MenuEntry[] = []
  if (hasServerPermission(server, permissionFor.createInvite)) {
    entries.push({ id: 'invite', label: t('server.invite'), icon: 'people', run: () => setDialog('invite') })
  }
  if (canManage) {
    entries.push({
      id: 'channel',
      label: t('server.createChannel'),
      icon: 'plus',
      run: () => setDialog('channel'),
    })
  }
  if (
    canManageMembers(server) ||
    canSeeReports(server) ||
    hasServerPermission(server, permissionFor.viewAuditLog)
  ) {
    const run = () => void navigate(`/channels/${serverId}/settings`)
    entries.push({ id: 'settings', label: t('server.settings'), icon: 'settings', run })
  }
  if (server && !server.owner) {
    const leave = async () => {
      client.leavingServers.add(serverId)
      try {
        await client.api.call('removeMember', { id: serverId, userId: '@me' })
      } catch (error) {
        client.leavingServers.delete(serverId)
        throw error
      }
      await navigate('/channels/@me')
    }
    const confirmLeave = () =>
      confirm({
        title: t('server.leave'),
        text: t('server.leaveConfirm', { name }),
        run: leave,
      })
    entries.push({ id: 'leave', label: t('server.leave'), icon: 'exit', danger: true, run: confirmLeave })
  }

  return (
    <nav aria-label={t('nav.channels')}>
      <header className="bar">
        <h2 className="nav-title ellipsis grow">{name}</h2>
        {server && openReports > 0 && (
          <Link
            to={`/channels/${serverId}/settings/reports`}
            aria-label={t('server.openReports', { count: openReports })}
            title={t('server.openReports', { count: openReports })}
          >
            <CountBadge count={openReports} />
          </Link>
        )}
        {server && (
          <LazyMenu label={t('server.menu', { name })} className="icon-button" entries={entries}>
            <Icon name="chevron" />
          </LazyMenu>
        )}
      </header>
      <div className="nav-list">
        <div className="nav-heading">
          <span>{t('nav.channels')}</span>
          {canManage && (
            <IconButton icon="plus" label={t('server.createChannel')} onClick={() => setDialog('channel')} />
          )}
        </div>
        {channels ? (
          <ChannelList channels={channels} canManage={canManage} />
        ) : (
          <NavStatus isError={query.isError} refetch={query.refetch} />
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

function ChannelList({ channels, canManage }: { channels: readonly Channel[]; canManage: boolean }) {
  const t = useT()
  const unreadChannels = useStore(useClient().unread.store, map => map)
  if (channels.length === 0) return <p className="nav-message">{t('server.noChannels')}</p>
  return (
    <ul className="nav-channels">
      {channels.map(channel => (
        <ChannelItem
          key={channel.id}
          channel={channel}
          canManage={canManage}
          unread={unreadChannels.get(channel.id)}
        />
      ))}
    </ul>
  )
}

interface ChannelItemProps {
  channel: Channel
  canManage: boolean
  unread: UnreadChannel | undefined
}

function ChannelItem({ channel, canManage, unread }: ChannelItemProps) {
  const t = useT()
  const { isCovering } = usePanes()
  const isPrivate = useIsPrivate(channel)
  const name = channel.name ?? ''
  const path = `/channels/${channel.serverId}/${channel.id}`
  return (
    <li className={unread ? 'nav-item unread' : 'nav-item'}>
      <NavLink to={path} replace={isCovering}>
        <Icon name={isPrivate ? 'lock' : 'hash'} />
        <span className="ellipsis grow">{name}</span>
        {isPrivate && <span className="visually-hidden">{t('channel.private')}</span>}
        {unread && <span className="visually-hidden">{t('nav.unread')}</span>}
        <CountBadge count={unread?.mentions ?? 0} />
      </NavLink>
      {canManage && (
        <Link
          className="icon-button"
          to={`${path}/settings`}
          aria-label={t('channel.settings', { name })}
          title={t('channel.settings', { name })}
        >
          <Icon name="settings" />
        </Link>
      )}
    </li>
  )
}
