import type { Webhook, WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'

const refetchIntervalMs = 5000

/** The last deliveries of a webhook, newest first, with the reason of a rejection. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const { data: deliveries, error } = useQuery({
    queryKey: keys.deliveries(webhook.id),
    queryFn: ({ signal }) =>
      api.call('listDeliveries', { channelId: webhook.channelId, id: webhook.id, signal }),
    refetchInterval: refetchIntervalMs,
    staleTime: 0,
  })
  return (
    <section className="stack log" aria-label={t('webhook.deliveries')}>
      <h2 className="log-title">{t('webhook.deliveries')}</h2>
      <ErrorText error={error} />
      {deliveries?.length === 0 && <p className="hint">{t('webhook.noDeliveries')}</p>}
      <ul className="log-rows">
        {deliveries?.map(delivery => (
          <li key={delivery.id}>
            <span className={delivery.status < 400 ? 'status success' : 'status danger'}>
              {delivery.status}
            </span>
            <span className="grow">
              <span>
                {delivery.reason
                  ? [delivery.field, delivery.reason].filter(Boolean).join(': ')
                  : delivery.messageId
                    ? t('webhook.delivered')
                    : t('webhook.ignored')}
              </span>
              <span className="hint">
                {[routeNames[delivery.route], dates.full(delivery.at)].filter(Boolean).join(' · ')}
              </span>
              {delivery.body && (
                <details className="log-details">
                  <summary className="hint">{t('webhook.body')}</summary>
                  <pre>{delivery.body}</pre>
                </details>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const routeNames: Readonly<Record<WebhookDelivery['route'], string | undefined>> = {
  message: undefined,
  slack: 'Slack',
  github: 'GitHub',
}
