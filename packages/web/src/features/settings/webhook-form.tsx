import type { Channel } from '@gatehouse/protocol/channels'
import { maxUrl, maxWebhookName, maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import type { SettingsTranslate } from '../../core/i18n/settings-i18n.tsx'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Field } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'

interface WebhookFormProps {
  webhook: Webhook
  /** The channels in which the user may manage webhooks, including the current one. */
  channels: readonly Channel[]
  onMoved(webhook: Webhook): void
}

/** Edits the name, avatar and channel of a webhook, and shows its URL to its creator. */
export function WebhookForm({ webhook, channels, onMoved }: WebhookFormProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const form = useEditForm(
    { name: webhook.name, avatar: webhook.avatar ?? '', channelId: webhook.channelId },
    { name: { max: maxWebhookName }, avatar: { max: maxUrl } },
    cause => webhookProblemText(cause, t),
  )
  const { fields, changes, edit } = form
  const avatar = changes.avatar?.trim()

  async function save() {
    const updated = await api.call('updateWebhook', {
      channelId: webhook.channelId,
      id: webhook.id,
      body: { ...changes, ...(avatar === undefined ? {} : { avatar }) },
    })
    if (updated.channelId !== webhook.channelId) onMoved(updated)
    const channelIds = [...new Set([webhook.channelId, updated.channelId])]
    await Promise.all(channelIds.map(id => queries.invalidateQueries({ queryKey: keys.webhooks(id) })))
  }

  return (
    <SettingsForm form={form} onSave={save} actions={<WebhookActions webhook={webhook} />}>
      <Field label={t('settings.name')} {...form.field('name')} required />
      <div className="webhook-avatar">
        {/* The service shows no picture before its URL is saved. */}
        <Avatar src={avatar === undefined ? webhook.avatarProxyUrl : null} name={fields.name} size={48} />
        <div className="grow">
          <Field
            label={t('webhook.avatar')}
            {...form.field('avatar')}
            inputMode="url"
            placeholder="https://"
            spellCheck={false}
            hint={t('webhook.avatarHint')}
          />
          {fields.avatar !== '' && (
            <button type="button" className="button plain small" onClick={() => edit({ avatar: '' })}>
              {t('settings.imageRemove')}
            </button>
          )}
        </div>
      </div>
      <SelectField
        label={t('webhook.channel')}
        value={fields.channelId}
        options={channels.map(channel => ({ value: channel.id, text: `#${channel.name}` }))}
        onChange={channelId => edit({ channelId })}
      />
      <WebhookUrl webhook={webhook} />
    </SettingsForm>
  )
}

/** The service shows the URL to the creator of the webhook only. */
function WebhookUrl({ webhook: { url, createdBy } }: { webhook: Webhook }) {
  const t = useSettingsT()
  const isCreator = useSelf().id === createdBy.id
  if (url !== null)
    return <CopyField label={t('webhook.url')} value={url} hint={t('webhook.secretHint')} secret />
  return (
    <div className="field">
      <span className="label">{t('webhook.url')}</span>
      <p className="hint">
        {isCreator ? t('webhook.urlLost') : t('webhook.urlHidden', { name: userText(createdBy) })}
      </p>
    </div>
  )
}

/** Regenerates the token or deletes the webhook. The current URL stops working. */
function WebhookActions({ webhook }: { webhook: Webhook }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const place = { channelId: webhook.channelId, id: webhook.id }
  const refresh = () => queries.invalidateQueries({ queryKey: keys.webhooks(webhook.channelId) })
  const confirmRegenerate = () =>
    confirm({
      title: t('webhook.regenerate'),
      text: t('webhook.regenerateConfirm', { name: webhook.name }),
      run: async () => {
        await api.call('resetWebhookToken', place)
        await refresh()
      },
    })
  const confirmDelete = () =>
    confirm({
      title: t('action.delete'),
      text: t('webhook.deleteConfirm', { name: webhook.name }),
      run: async () => {
        await api.call('deleteWebhook', place)
        await refresh()
      },
    })
  return (
    <div className="line">
      <button type="button" className="button secondary small" onClick={confirmRegenerate}>
        {t('webhook.regenerate')}
      </button>
      <button type="button" className="button danger small" onClick={confirmDelete}>
        {t('action.delete')}
      </button>
    </div>
  )
}

export function webhookProblemText(cause: unknown, t: SettingsTranslate): string {
  return cause instanceof ApiError && cause.code === 'webhook_limit'
    ? t('webhook.limit', { count: maxWebhooksPerChannel })
    : problemText(cause, t)
}
