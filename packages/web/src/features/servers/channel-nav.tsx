import { permissionFor } from '@gatehouse/protocol/permissions'
import { Suspense, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useChannels, useOpenReports, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { canManageMembers, canSeeReports, hasServerPermission } from '../../core/servers/permissions.ts'
import { CountBadge } from '../../ui/count-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LazyMenu } from '../../ui/lazy-menu.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { ChannelList } from './channel-list.tsx'
import { InviteDialog } from './lazy-dialogs.ts'
import { NavStatus } from './nav-status.tsx'

const CreateChannelDialog = lazyComponent(() =>
  import('./create-channel-dialog.tsx').then(part => part.CreateChannelDialog),
)
const ArrangeChannelsDialog = lazyComponent(() =>
  import('./arrange-channels-dialog.tsx').then(part => part.ArrangeChannelsDialog),
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
  const [dialog, setDialog] = useState<'channel' | 'category' | 'arrange' | 'invite' | { parentId: string }>()
  const openReports = useOpenReports(server)
  const canManage = hasServerPermission(server, permissionFor.manageChannels)
  const name = server?.name ?? ''

  const entries: MenuEntry[] = []
  if (hasServerPermission(server, permissionFor.createInvite)) {
    entries.push({ id: 'invite', label: t('server.invite'), icon: 'people', run: () => setDialog('invite') })
  }
  if (canManage) {
    entries.push(
      { id: 'channel', label: t('server.createChannel'), icon: 'plus', run: () => setDialog('channel') },
      { id: 'category', label: t('server.createCategory'), icon: 'plus', run: () => setDialog('category') },
      { id: 'arrange', label: t('server.arrangeChannels'), icon: 'menu', run: () => setDialog('arrange') },
    )
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
          <ChannelList
            channels={channels}
            canManage={canManage}
            onCreate={parentId => setDialog({ parentId })}
          />
        ) : (
          <NavStatus isError={query.isError} refetch={query.refetch} />
        )}
      </div>
      <Suspense fallback={null}>
        {(dialog === 'channel' || dialog === 'category' || typeof dialog === 'object') && (
          <CreateChannelDialog
            serverId={serverId}
            type={dialog === 'category' ? 'category' : 'text'}
            parentId={typeof dialog === 'object' ? dialog.parentId : ''}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === 'arrange' && (
          <ArrangeChannelsDialog serverId={serverId} onClose={() => setDialog(undefined)} />
        )}
        {dialog === 'invite' && (
          <InviteDialog serverId={serverId} name={name} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </nav>
  )
}
