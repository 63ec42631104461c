import { Suspense } from 'react'
import { useServers } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useChannel } from './channel-context.ts'

const FirstSteps = lazyPart(() => import('../servers/first-steps.tsx').then(part => part.FirstSteps))

/** Above the first message of a channel. */
export function StartRow({ empty }: { empty: boolean }) {
  const t = useT()
  const { channel, channels, name } = useChannel()
  const server = useServers().find(({ id }) => id === channel.serverId)
  const [first] = [...channels].sort((a, b) => a.position - b.position || a.id.localeCompare(b.id))
  return (
    <div className="start">
      <span className="start-mark">
        <Icon name={channel.serverId ? 'hash' : 'chat'} />
      </span>
      <h2>{channel.serverId ? t('chat.welcome', { name }) : name}</h2>
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
