import { maxDeliveryBodyBytes } from '@gatehouse/protocol/limits'
import type { Webhook, WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { toCurl } from '../../ui/curl.ts'
import { ErrorText } from '../../ui/error-text.tsx'
import { withIndexKeys } from '../../ui/index-keys.ts'
import { useSubmit } from '../../ui/use-submit.ts'

const refetchIntervalMs = 5000

/** The last deliveries of a webhook, newest first, with the reasons of a rejection. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useSettingsI18n()
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
      <p className="hint">{t('webhook.logHint')}</p>
      <ErrorText error={error} />
      {deliveries?.length === 0 && <p className="hint">{t('webhook.noDeliveries')}</p>}
      <ul className="log-rows">
        {deliveries?.map(delivery => (
          <Delivery key={delivery.id} webhook={webhook} delivery={delivery} />
        ))}
      </ul>
    </section>
  )
}

function Delivery({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { t, dates } = useSettingsI18n()
  return (
    <li>
      <span className={delivery.status < 400 ? 'status success' : 'status danger'}>{delivery.status}</span>
      <span className="grow">
        {withIndexKeys(listReasons(delivery)).map(({ key, item }) => (
          <span key={key}>{item}</span>
        ))}
        {delivery.reason === null && (
          <span>{delivery.messageId ? t('webhook.delivered') : t('webhook.ignored')}</span>
        )}
        <span className="hint">
          {[routes[delivery.route].name, dates.full(delivery.at)].filter(Boolean).join(' · ')}
        </span>
        <DeliveryBody delivery={delivery} />
        <span className="line">
          <CopyButton label={t('action.copyCurl')} value={curlOf(webhook, delivery)} />
          <SendAgain webhook={webhook} delivery={delivery} />
        </span>
      </span>
    </li>
  )
}

function listReasons({ errors, reason }: WebhookDelivery): string[] {
  if (errors.length > 0) return errors.map(({ field, reason }) => [field, reason].filter(Boolean).join(': '))
  return reason === null ? [] : [reason]
}

function DeliveryBody({ delivery }: { delivery: WebhookDelivery }) {
  const { t } = useSettingsI18n()
  const { body, bodyBytes } = delivery
  if (body === null) return null
  return (
    <details className="log-details">
      <summary className="hint">{t('webhook.body')}</summary>
      {!isWhole(delivery) && (
        <p className="hint">
          {t('webhook.bodyCut', { shown: maxDeliveryBodyBytes, bytes: bodyBytes ?? '?' })}
        </p>
      )}
      <pre>{body}</pre>
    </details>
  )
}

/** Posts the body of a rejected request once more. Only who sees the URL of the webhook can. */
function SendAgain({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { t } = useSettingsI18n()
  const { queries } = useClient()
  const { busy, problem, submit } = useSubmit()
  const { body, contentType, route } = delivery
  // The log has no header X-GitHub-Event.
  if (webhook.url === null || body === null || !isWhole(delivery) || route === 'github') return null
  const path = `${new URL(webhook.url).pathname}${routes[route].suffix}`
  const send = () =>
    submit(async () => {
      await fetch(path, {
        method: 'POST',
        body: new Blob([body]),
        headers: contentType === null ? {} : { 'content-type': contentType },
      })
      await queries.invalidateQueries({ queryKey: keys.deliveries(webhook.id) })
    })
  return (
    <>
      <button type="button" className="button secondary small" disabled={busy} onClick={() => void send()}>
        {t('action.sendAgain')}
      </button>
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}

/** Whether the log has the whole body. An earlier version did not store its size. */
function isWhole({ bodyBytes }: WebhookDelivery): boolean {
  return bodyBytes !== null && bodyBytes <= maxDeliveryBodyBytes
}

function curlOf({ id }: Webhook, delivery: WebhookDelivery): string {
  const { suffix } = routes[delivery.route]
  return toCurl(`${location.origin}/api/webhooks/${id}/$TOKEN${suffix}`, {
    headers: delivery.route === 'github' ? ['X-GitHub-Event: $EVENT'] : [],
    contentType: delivery.contentType,
    body: isWhole(delivery) ? delivery.body : null,
  })
}

const routes: Readonly<Record<WebhookDelivery['route'], { name?: string; suffix: string }>> = {
  message: { suffix: '' },
  slack: { name: 'Slack', suffix: '/slack' },
  github: { name: 'GitHub', suffix: '/github' },
}
