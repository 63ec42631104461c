import type { Channel } from '@gatehouse/protocol/channels'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { Panel } from './settings-page.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm, webhookProblem } from './webhook-form.tsx'

interface WebhooksProps {
  channel: Channel
  /** Where one may manage webhooks, this channel among them: a webhook can move there. */
  channels: readonly Channel[]
}

/** The addresses where other programs post into a channel. */
export function Webhooks({ channel, channels }: WebhooksProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const [open, setOpen] = useState<string>()
  const [moved, setMoved] = useState<Webhook>()
  const { data: webhooks, error } = useQuery({
    queryKey: keys.webhooks(channel.id),
    queryFn: ({ signal }) => api.get<Webhook[]>(`/api/channels/${channel.id}/webhooks`, signal),
    staleTime: 0,
  })
  const create = useMutation({
    mutationFn: () =>
      api.send<Webhook>('POST', `/api/channels/${channel.id}/webhooks`, { name: t('webhook.defaultName') }),
    onSuccess: async made => {
      await queries.invalidateQueries({ queryKey: keys.webhooks(channel.id) })
      setOpen(made.id)
    },
  })
  const problem = create.error ?? error
  const createButton = (
    <button type="button" className="button" disabled={create.isPending} onClick={() => create.mutate()}>
      <Icon name="plus" />
      {t('webhook.create')}
    </button>
  )
  return (
    <Panel hint={t('webhook.hint', { name: channel.name ?? '' })}>
      {webhooks && webhooks.length > 0 && <div className="line">{createButton}</div>}
      {problem && (
        <p className="problem" role="alert">
          {webhookProblem(problem, t)}
        </p>
      )}
      <Moved webhook={moved} channels={channels} />
      {webhooks?.length === 0 && (
        <div className="empty">
          <Icon name="hook" />
          <h2>{t('webhook.empty')}</h2>
          <p>{t('webhook.emptyHint')}</p>
          <div className="line">{createButton}</div>
        </div>
      )}
      {!webhooks && !error && <span className="skeleton" style={{ blockSize: '70px' }} />}
      <ul className="rows">
        {webhooks?.map(webhook => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            channels={channels}
            open={open === webhook.id}
            onMoved={setMoved}
            onToggle={() => setOpen(open === webhook.id ? undefined : webhook.id)}
          />
        ))}
      </ul>
    </Panel>
  )
}

/** Where a webhook went that stood here. Always there, so that it is read out when it is filled. */
function Moved({ webhook, channels }: { webhook: Webhook | undefined; channels: readonly Channel[] }) {
  const t = useT()
  const channel = channels.find(({ id }) => id === webhook?.channelId)
  return (
    <p role="status" className={webhook ? 'hint' : 'unseen'}>
      {webhook && channel && (
        <>
          {t('webhook.moved', { name: webhook.name, channel: channel.name ?? '' })}{' '}
          <Link to={`/channels/${webhook.serverId}/${channel.id}/settings/webhooks`}>
            {t('webhook.showThere')}
          </Link>
        </>
      )}
    </p>
  )
}

interface WebhookRowProps {
  webhook: Webhook
  channels: readonly Channel[]
  open: boolean
  onMoved(webhook: Webhook): void
  onToggle(): void
}

function WebhookRow({ webhook, channels, open, onMoved, onToggle }: WebhookRowProps) {
  const { t, dates } = useI18n()
  const { name, avatar, createdBy, lastUsedAt } = webhook
  return (
    <li className="row-card">
      <Avatar src={avatar} name={name} size={40} />
      <div className="grow">
        <strong>{name}</strong>
        <p className="hint">
          {createdBy && `${t('webhook.by', { name: createdBy.displayName })} · `}
          {lastUsedAt ? t('webhook.lastUsed', { date: dates.full(lastUsedAt) }) : t('webhook.neverUsed')}
        </p>
      </div>
      <button
        type="button"
        className="button soft small"
        aria-expanded={open}
        aria-label={`${open ? t('action.close') : t('action.edit')}: ${name}`}
        onClick={onToggle}
      >
        {open ? t('action.close') : t('action.edit')}
      </button>
      {open && <WebhookForm key={webhook.token} webhook={webhook} channels={channels} onMoved={onMoved} />}
      {open && <WebhookDeliveries webhook={webhook} />}
    </li>
  )
}
