import { ApiError, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import type { Pending } from '../../core/stores/timeline.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'
import { FormattedText } from './formatted-text.tsx'

/** A message that is being sent, or that failed and can be retried. */
export function PendingRow({ pending, isGrouped }: { pending: Pending; isGrouped: boolean }) {
  const { t, dates } = useI18n()
  const { timelines } = useClient()
  const { channel, self } = useChannelContext()
  const { problem, transient } = pending
  const failed = pending.state === 'failed'
  const reason = problem && problemText(new ApiError(problem.status, problem), t)
  return (
    <article className={`message ${isGrouped ? 'grouped' : ''} ${failed ? 'failed' : 'sending'}`}>
      {isGrouped ? (
        <span className="message-time" />
      ) : (
        <Avatar src={self.avatar} name={self.displayName} size={40} />
      )}
      <div className="message-main">
        {!isGrouped && (
          <header className="message-header">
            <bdi className="message-author">{self.displayName}</bdi>
            <time className="message-date">{dates.time(pending.createdAt)}</time>
          </header>
        )}
        <FormattedText text={pending.content} everyone={false} />
        {failed ? (
          <p className="notice danger" role="alert">
            <Icon name="warning" />
            <span>
              {t('chat.notSent')} {reason}{' '}
              {transient && t(problem?.status === 429 ? 'chat.retriesLater' : 'chat.retriesWhenOnline')}
            </span>
            <NoticeAction
              label={t('action.retry')}
              onPress={() => void timelines.retry(channel.id, pending.nonce)}
            />
            <NoticeAction
              label={t('action.delete')}
              onPress={() => timelines.discard(channel.id, pending.nonce)}
            />
          </p>
        ) : (
          <span className="visually-hidden">{t('chat.sending')}</span>
        )}
      </div>
    </article>
  )
}
