import type { Channel } from '@gatehouse/protocol/channels'
import { maxWebhookName } from '@gatehouse/protocol/limits'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Panel, SaveBar, useSubmit } from './settings-page.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'

/** The addresses where other programs post into a channel. */
export function Webhooks({ channel }: { channel: Channel }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const [open, setOpen] = useState<string>()
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
          {problemText(problem, t)}
        </p>
      )}
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
            open={open === webhook.id}
            onToggle={() => setOpen(open === webhook.id ? undefined : webhook.id)}
          />
        ))}
      </ul>
    </Panel>
  )
}

interface WebhookRowProps {
  webhook: Webhook
  open: boolean
  onToggle(): void
}

function WebhookRow({ webhook, open, onToggle }: WebhookRowProps) {
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
      {open && <WebhookForm key={webhook.token} webhook={webhook} />}
      {open && <WebhookDeliveries webhook={webhook} />}
    </li>
  )
}

function WebhookForm({ webhook }: { webhook: Webhook }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const [name, setName] = useState(webhook.name)
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
  const path = `/api/channels/${webhook.channelId}/webhooks/${webhook.id}`
  const again = () => queries.invalidateQueries({ queryKey: keys.webhooks(webhook.channelId) })
  function save(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      await api.send('PATCH', path, { name })
      await again()
    })
  }
  const askForNewAddress = () =>
    confirm({
      title: t('webhook.regenerate'),
      text: t('webhook.regenerateConfirm', { name: webhook.name }),
      action: t('webhook.regenerate'),
      run: async () => {
        await api.send('POST', `${path}/token`)
        await again()
      },
    })
  const askToDelete = () =>
    confirm({
      title: t('action.delete'),
      text: t('webhook.deleteConfirm', { name: webhook.name }),
      action: t('action.delete'),
      run: async () => {
        await api.send('DELETE', path)
        await again()
      },
    })
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('webhook.name')}
        value={name}
        onChange={setName}
        required
        maxLength={maxWebhookName}
        autoComplete="off"
      />
      <CopyField label={t('webhook.address')} value={webhook.url} hint={t('webhook.secretHint')} secret />
      <SaveBar dirty={name !== webhook.name} busy={busy} saved={saved} problem={problem} />
      <div className="line">
        <button type="button" className="button soft small" onClick={askForNewAddress}>
          {t('webhook.regenerate')}
        </button>
        <button type="button" className="button bad small" onClick={askToDelete}>
          {t('action.delete')}
        </button>
      </div>
    </form>
  )
}
