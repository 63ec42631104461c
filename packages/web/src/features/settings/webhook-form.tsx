import type { Channel } from '@gatehouse/protocol/channels'
import { imageTypes, maxUrl, maxWebhookName, maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { type ChangeEvent, useRef } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import type { SettingsTranslate } from '../../core/i18n/settings-i18n.tsx'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
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
  const isUploaded = /^(?:data:|\/)/.test(fields.avatar)

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
        <Avatar
          src={avatar === undefined ? webhook.avatarProxyUrl : isUploaded ? avatar : null}
          name={fields.name}
          size={48}
        />
        <div className="grow">
          {!isUploaded && (
            <Field
              label={t('webhook.avatar')}
              {...form.field('avatar')}
              inputMode="url"
              placeholder="https://"
              spellCheck={false}
              hint={t('webhook.avatarHint')}
            />
          )}
          <div className="line">
            <PictureButton onRead={uri => edit({ avatar: uri })} />
            {fields.avatar !== '' && (
              <button type="button" className="button plain small" onClick={() => edit({ avatar: '' })}>
                {t('settings.imageRemove')}
              </button>
            )}
          </div>
          {isUploaded && <ErrorText text={form.fieldProblems.avatar} />}
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

/** Reads a file as data URI. */
function PictureButton({ onRead }: { onRead(uri: string): void }) {
  const t = useSettingsT()
  const input = useRef<HTMLInputElement>(null)
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (file === undefined) return
    const reader = new FileReader()
    reader.onload = () => {
      if (typeof reader.result === 'string') onRead(reader.result)
    }
    reader.readAsDataURL(file)
  }
  return (
    <>
      <button type="button" className="button secondary small" onClick={() => input.current?.click()}>
        {t('settings.imageChange')}
      </button>
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t('settings.imageChange')}
        accept={imageTypes.join()}
        onChange={choose}
      />
    </>
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
