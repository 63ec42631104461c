import { problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { Body } from './body.tsx'
import { useChannel } from './channel-context.ts'
import type { Pending } from './timeline.ts'

/** A message on its way: shown at once, and with a way to try again if it did not get there. */
export function PendingRow({ pending, follows }: { pending: Pending; follows: boolean }) {
  const { t, dates } = useI18n()
  const { timelines } = useClient()
  const { channel, self } = useChannel()
  const describe = (error: unknown) => problemText(error, t)
  const failed = pending.state === 'failed'
  return (
    <article className={`message ${follows ? 'follows' : ''} ${failed ? 'failed' : 'sending'}`}>
      {follows ? (
        <span className="message-time" />
      ) : (
        <Avatar src={self.avatar} name={self.displayName} size={40} />
      )}
      <div className="message-main">
        {!follows && (
          <header className="message-head">
            <span className="message-author">{self.displayName}</span>
            <time className="message-at">{dates.time(pending.createdAt)}</time>
          </header>
        )}
        <Body text={pending.content} everyone={false} />
        {failed ? (
          <p className="notice bad" role="alert">
            <Icon name="warning" />
            <span>
              {t('chat.notSent')} {pending.problem} {pending.passing && t('chat.goesOut')}
            </span>
            <button
              type="button"
              className="notice-action"
              onClick={() => void timelines.retry(channel.id, pending.nonce, describe)}
            >
              {t('action.retry')}
            </button>
            <button
              type="button"
              className="notice-action"
              onClick={() => timelines.discard(channel.id, pending.nonce)}
            >
              {t('action.delete')}
            </button>
          </p>
        ) : (
          <span className="unseen">{t('chat.sending')}</span>
        )}
      </div>
    </article>
  )
}
