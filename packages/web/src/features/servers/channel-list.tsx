import type { Channel } from '@gatehouse/protocol/channels'
import { useState } from 'react'
import { Link, NavLink, useParams } from 'react-router'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { groupChannels } from '../../core/servers/channel-order.ts'
import { useIsPrivate } from '../../core/servers/use-viewers.ts'
import { collapsedCategories } from '../../core/stores/collapsed-categories.ts'
import { useStore } from '../../core/stores/store.ts'
import { CountBadge } from '../../ui/count-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { usePanes } from '../../ui/panes.ts'

interface ChannelListProps {
  channels: readonly Channel[]
  canManage: boolean
  /** Opens the dialog that creates a channel in the category. */
  onCreate(categoryId: string): void
}

/** The channels without a category, and the categories with their channels. */
export function ChannelList({ channels, canManage, onCreate }: ChannelListProps) {
  const t = useT()
  // Who cannot create channels sees no category without one.
  const groups = groupChannels(channels).filter(group => canManage || group.channels.length > 0)
  if (groups.length === 0) return <p className="nav-message">{t('server.noChannels')}</p>
  return groups.map(group =>
    group.category ? (
      <Category
        key={group.category.id}
        category={group.category}
        channels={group.channels}
        canManage={canManage}
        onCreate={onCreate}
      />
    ) : (
      <Channels key="" channels={group.channels} canManage={canManage} />
    ),
  )
}

interface CategoryProps extends ChannelListProps {
  category: Channel
}

/** A collapsed category shows only the current channel and those with unread messages. */
function Category({ category, channels, canManage, onCreate }: CategoryProps) {
  const t = useT()
  const { channelId } = useParams()
  const unreadChannels = useStore(useClient().unread.store, map => map)
  const [isCollapsed, setCollapsed] = useState(() => collapsedCategories.has(category.id))
  const name = category.name ?? ''
  const toggle = () => {
    collapsedCategories.set(category.id, !isCollapsed)
    setCollapsed(!isCollapsed)
  }
  const shown = isCollapsed
    ? channels.filter(({ id }) => id === channelId || unreadChannels.has(id))
    : channels
  return (
    <>
      <div className="nav-heading nav-category">
        <button type="button" aria-expanded={!isCollapsed} onClick={toggle}>
          <Icon name="chevron" />
          <span className="ellipsis">{name}</span>
        </button>
        {canManage && (
          <>
            <SettingsLink channel={category} label={t('category.settings', { name })} />
            <IconButton
              icon="plus"
              label={t('category.createChannel', { name })}
              onClick={() => onCreate(category.id)}
            />
          </>
        )}
      </div>
      <Channels label={name} channels={shown} canManage={canManage} />
    </>
  )
}

interface ChannelsProps extends Pick<ChannelListProps, 'channels' | 'canManage'> {
  label?: string
}

function Channels({ label, channels, canManage }: ChannelsProps) {
  if (channels.length === 0) return null
  return (
    <ul className="nav-channels" aria-label={label}>
      {channels.map(channel => (
        <ChannelItem key={channel.id} channel={channel} canManage={canManage} />
      ))}
    </ul>
  )
}

function ChannelItem({ channel, canManage }: { channel: Channel; canManage: boolean }) {
  const t = useT()
  const { isCovering } = usePanes()
  const unread = useStore(useClient().unread.store, map => map.get(channel.id))
  const isPrivate = useIsPrivate(channel)
  const name = channel.name ?? ''
  return (
    <li className={unread ? 'nav-item unread' : 'nav-item'}>
      <NavLink to={`/channels/${channel.serverId}/${channel.id}`} replace={isCovering}>
        <Icon name={isPrivate ? 'lock' : 'hash'} />
        <span className="ellipsis grow">{name}</span>
        {isPrivate && <span className="visually-hidden">{t('channel.private')}</span>}
        {unread && <span className="visually-hidden">{t('nav.unread')}</span>}
        <CountBadge count={unread?.mentions ?? 0} />
      </NavLink>
      {canManage && <SettingsLink channel={channel} label={t('channel.settings', { name })} />}
    </li>
  )
}

function SettingsLink({ channel: { serverId, id }, label }: { channel: Channel; label: string }) {
  return (
    <Link
      className="icon-button"
      to={`/channels/${serverId}/${id}/settings`}
      aria-label={label}
      title={label}
    >
      <Icon name="settings" />
    </Link>
  )
}
