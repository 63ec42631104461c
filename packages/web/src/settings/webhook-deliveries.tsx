import type { Webhook, WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'

const everyMs = 5000

/** What came of the last posts, newest first: for whoever wonders why nothing arrives. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const { data: list, error } = useQuery({
    queryKey: keys.deliveries(webhook.id),
    queryFn: ({ signal }) =>
      api.get<WebhookDelivery[]>(
        `/api/channels/${webhook.channelId}/webhooks/${webhook.id}/deliveries`,
        signal,
      ),
    refetchInterval: everyMs,
    staleTime: 0,
  })
  return (
    <section className="stack log" aria-label={t('webhook.deliveries')}>
      <h2 className="log-title">{t('webhook.deliveries')}</h2>
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {list?.length === 0 && <p className="hint">{t('webhook.noDeliveries')}</p>}
      <ul className="log-rows">
        {list?.map(entry => (
          <li key={entry.id}>
            <span className={entry.status < 400 ? 'status good' : 'status bad'}>{entry.status}</span>
            <span className="grow">
              <span>
                {entry.reason
                  ? [entry.field, entry.reason].filter(Boolean).join(': ')
                  : entry.messageId
                    ? t('webhook.delivered')
                    : t('webhook.ignored')}
              </span>
              <span className="hint">
                {[routes[entry.route], dates.full(entry.at)].filter(Boolean).join(' · ')}
              </span>
              {entry.body && (
                <details className="log-details">
                  <summary className="hint">{t('webhook.body')}</summary>
                  <pre>{entry.body}</pre>
                </details>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const routes: Readonly<Record<WebhookDelivery['route'], string | undefined>> = {
  message: undefined,
  slack: 'Slack',
  github: 'GitHub',
}
