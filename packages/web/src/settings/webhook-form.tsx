import type { Channel } from '@gatehouse/protocol/channels'
import { maxUrl, maxWebhookName, maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { safeImage } from '../chat/tokens.ts'
import { useT } from '../i18n/i18n.tsx'
import type { Translate } from '../i18n/translate.ts'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Field } from '../ui/field.tsx'
import { SaveBar, useSubmit } from './settings-page.tsx'

interface WebhookFormProps {
  webhook: Webhook
  /** Where one may manage webhooks, the channel of this one among them. */
  channels: readonly Channel[]
  onMoved(webhook: Webhook): void
}

/** What can be changed of a webhook: its name, its picture, its channel, its address. */
export function WebhookForm({ webhook, channels, onMoved }: WebhookFormProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState(webhook.name)
  const [avatar, setAvatar] = useState(webhook.avatar ?? '')
  const [channelId, setChannelId] = useState(webhook.channelId)
  const { busy, saved, problem, at, submit } = useSubmit(cause => webhookProblem(cause, t), {
    name: { max: maxWebhookName },
    avatar: { max: maxUrl },
  })
  const path = `/api/channels/${webhook.channelId}/webhooks/${webhook.id}`
  const changes = {
    ...(name === webhook.name ? {} : { name }),
    ...(avatar === (webhook.avatar ?? '') ? {} : { avatar: avatar.trim() || null }),
    ...(channelId === webhook.channelId ? {} : { channelId }),
  }
  // The service would take another address too, but no client would show its picture.
  const unseen =
    typeof changes.avatar === 'string' && safeImage(changes.avatar)?.startsWith('https:') !== true

  function save(event: FormEvent) {
    event.preventDefault()
    if (unseen) return
    void submit(async () => {
      const changed = await api.send<Webhook>('PATCH', path, changes)
      setName(changed.name)
      setAvatar(changed.avatar ?? '')
      if (changed.channelId !== webhook.channelId) onMoved(changed)
      const places = [...new Set([webhook.channelId, changed.channelId])]
      await Promise.all(places.map(id => queries.invalidateQueries({ queryKey: keys.webhooks(id) })))
    })
  }

  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('webhook.name')}
        value={name}
        onChange={setName}
        required
        maxLength={maxWebhookName}
        autoComplete="off"
        problem={at.name}
      />
      <div className="webhook-picture">
        <Avatar src={avatar} name={name} size={48} />
        <div className="grow">
          <Field
            label={t('webhook.picture')}
            value={avatar}
            onChange={setAvatar}
            inputMode="url"
            placeholder="https://"
            maxLength={maxUrl}
            autoComplete="off"
            spellCheck={false}
            hint={t('webhook.pictureHint')}
            problem={at.avatar ?? (unseen ? t('webhook.pictureHttps') : undefined)}
          />
          {avatar !== '' && (
            <button type="button" className="button plain small" onClick={() => setAvatar('')}>
              {t('settings.avatarRemove')}
            </button>
          )}
        </div>
      </div>
      <ChannelChoice channels={channels} value={channelId} onChange={setChannelId} />
      <CopyField label={t('webhook.address')} value={webhook.url} hint={t('webhook.secretHint')} secret />
      <SaveBar dirty={Object.keys(changes).length > 0} busy={busy} saved={saved} problem={problem} />
      <Endings webhook={webhook} />
    </form>
  )
}

interface ChannelChoiceProps {
  channels: readonly Channel[]
  value: string
  onChange(channelId: string): void
}

function ChannelChoice({ channels, value, onChange }: ChannelChoiceProps) {
  const t = useT()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t('webhook.channel')}</label>
      <select id={id} className="input" value={value} onChange={event => onChange(event.target.value)}>
        {channels.map(channel => (
          <option key={channel.id} value={channel.id}>
            #{channel.name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** What ends the present address, or the whole. */
function Endings({ webhook }: { webhook: Webhook }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const path = `/api/channels/${webhook.channelId}/webhooks/${webhook.id}`
  const again = () => queries.invalidateQueries({ queryKey: keys.webhooks(webhook.channelId) })
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
    <div className="line">
      <button type="button" className="button soft small" onClick={askForNewAddress}>
        {t('webhook.regenerate')}
      </button>
      <button type="button" className="button bad small" onClick={askToDelete}>
        {t('action.delete')}
      </button>
    </div>
  )
}

export function webhookProblem(cause: unknown, t: Translate): string {
  return cause instanceof ApiError && cause.code === 'webhook_limit'
    ? t('webhook.full', { count: maxWebhooksPerChannel })
    : problemText(cause, t)
}
