import { Suspense } from 'react'
import { useServers } from '../../core/api/queries.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useIsPrivate } from '../../core/servers/use-viewers.ts'
import { Icon } from '../../ui/icon.tsx'
import { FirstSteps } from '../servers/index.ts'

/** Shown above the first message of a channel. */
export function StartRow({ empty }: { empty: boolean }) {
  const t = useT()
  const { channel, channels, name } = useChannelContext()
  const isPrivate = useIsPrivate(channel)
  const server = useServers().find(({ id }) => id === channel.serverId)
  const [first] = channels
  return (
    <div className="start">
      <span className="start-icon">
        <Icon name={isPrivate ? 'lock' : channel.serverId ? 'hash' : 'chat'} />
      </span>
      <h2>{channel.serverId ? t('chat.welcome', { name }) : name}</h2>
      {isPrivate && <p>{t('channel.privateHint')}</p>}
      <p>{channel.serverId ? t('chat.start', { name }) : t('dm.start', { name })}</p>
      {empty && <p>{t('chat.empty')}</p>}
      {server?.owner && first?.id === channel.id && (
        <Suspense fallback={null}>
          <FirstSteps serverId={server.id} serverName={server.name} channelId={channel.id} />
        </Suspense>
      )}
    </div>
  )
}
