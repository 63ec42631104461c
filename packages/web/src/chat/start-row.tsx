import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { useChannel } from './channel-context.ts'

/** Above the first message of a channel. */
export function StartRow({ empty }: { empty: boolean }) {
  const t = useT()
  const { channel, name } = useChannel()
  return (
    <div className="start">
      <span className="start-mark">
        <Icon name={channel.serverId ? 'hash' : 'chat'} />
      </span>
      <h2>{channel.serverId ? t('chat.welcome', { name }) : name}</h2>
      <p>{channel.serverId ? t('chat.start', { name }) : t('dm.start', { name })}</p>
      {empty && <p>{t('chat.empty')}</p>}
    </div>
  )
}
