import { commandText } from '../../core/commands.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { hasFailed, type Invocation } from '../../core/stores/invocations.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { InvocationNotice } from './invocation-notice.tsx'

/** A command of the user that is waiting for its response, or that failed. */
export function InvocationRow({ invocation }: { invocation: Invocation }) {
  const t = useT()
  const { self } = useChannelContext()
  const name = invocation.botName
  return (
    <div className="message invocation">
      <p className="interaction-header">
        <span className="interaction-line" aria-hidden="true" />
        <Avatar src={self.avatar} name={self.displayName} size={16} />
        <span className="ellipsis">
          {t('chat.used', { user: self.displayName })}{' '}
          <span className="interaction-command">
            {commandText(invocation.name ?? '', invocation.commandType)}
          </span>
        </span>
      </p>
      <Avatar src={invocation.botAvatar ?? null} name={name} size={40} />
      <div className="message-main">
        <header className="message-header">
          <span className="message-author">{name}</span>
          <span className="badge">{t('chat.bot')}</span>
        </header>
        {hasFailed(invocation) ? (
          <InvocationNotice invocation={invocation} />
        ) : (
          <p className="thinking" role="status">
            <span className="dots" aria-hidden="true" />
            {invocation.state === 'sending'
              ? t('interaction.sending', { name })
              : t('interaction.waiting', { name })}
          </p>
        )}
      </div>
    </div>
  )
}
