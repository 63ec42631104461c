import type { Channel } from '@gatehouse/protocol/channels'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EditToggle } from '../../ui/edit-toggle.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { userText } from '../../ui/user-name.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm, webhookProblemText } from './webhook-form.tsx'

interface WebhooksProps {
  channel: Channel
  /** The channels in which the user may manage webhooks, including this one. A webhook can be moved to any of them. */
  channels: readonly Channel[]
}

/** The incoming webhooks of a channel. */
export function Webhooks({ channel, channels }: WebhooksProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { leave } = useUnsaved()
  const [openId, setOpenId] = useState<string>()
  const [moved, setMoved] = useState<Webhook>()
  const { data: webhooks, error } = useQuery({
    queryKey: keys.webhooks(channel.id),
    queryFn: ({ signal }) => api.call('listWebhooks', { channelId: channel.id, signal }),
    staleTime: 0,
  })
  const create = useMutation({
    mutationFn: () =>
      api.call('createWebhook', { channelId: channel.id, body: { name: t('webhook.create') } }),
    onSuccess: async created => {
      await queries.invalidateQueries({ queryKey: keys.webhooks(channel.id) })
      setOpenId(created.id)
    },
  })
  const problem = create.error ?? error
  const createButton = (
    <button
      type="button"
      className="button"
      disabled={create.isPending}
      onClick={() => leave(() => create.mutate())}
    >
      <Icon name="plus" />
      {t('webhook.create')}
    </button>
  )
  return (
    <Panel hint={t('webhook.hint', { name: channel.name ?? '' })}>
      {webhooks && webhooks.length > 0 && <div className="line">{createButton}</div>}
      {problem && (
        <p className="problem" role="alert">
          {webhookProblemText(problem, t)}
        </p>
      )}
      <MovedNotice webhook={moved} channels={channels} />
      {webhooks?.length === 0 && (
        <EmptyState icon="hook" title={t('webhook.empty')} text={t('webhook.emptyHint')}>
          {createButton}
        </EmptyState>
      )}
      {!webhooks && !error && <span className="skeleton" style={{ blockSize: '70px' }} />}
      <ul className="rows">
        {webhooks?.map(webhook => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            channels={channels}
            open={openId === webhook.id}
            onMoved={setMoved}
            onToggle={() => leave(() => setOpenId(openId === webhook.id ? undefined : webhook.id))}
          />
        ))}
      </ul>
    </Panel>
  )
}

/**
 * Links to the new channel of a moved webhook. Always rendered, because screen readers announce changes of a live
 * region.
 */
function MovedNotice({ webhook, channels }: { webhook: Webhook | undefined; channels: readonly Channel[] }) {
  const t = useSettingsT()
  const channel = channels.find(({ id }) => id === webhook?.channelId)
  return (
    <p role="status" className={webhook ? 'hint' : 'visually-hidden'}>
      {webhook && channel && (
        <>
          {t('webhook.moved', { name: webhook.name, channel: channel.name ?? '' })}{' '}
          <Link to={`/channels/${webhook.serverId}/${channel.id}/settings/webhooks`}>
            {t('webhook.showMoved')}
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
  const { t, dates } = useSettingsI18n()
  const { name, avatarProxyUrl, createdBy, lastUsedAt } = webhook
  return (
    <li className="row-card">
      <Avatar src={avatarProxyUrl} name={name} size={40} />
      <div className="grow">
        <strong>{name}</strong>
        <p className="hint">
          {createdBy && `${t('webhook.by', { name: userText(createdBy) })} · `}
          {lastUsedAt ? t('settings.lastUsed', { date: dates.full(lastUsedAt) }) : t('webhook.neverUsed')}
        </p>
      </div>
      <EditToggle name={name} open={open} onToggle={onToggle} />
      {open && <WebhookForm webhook={webhook} channels={channels} onMoved={onMoved} />}
      {open && <WebhookDeliveries webhook={webhook} />}
    </li>
  )
}
