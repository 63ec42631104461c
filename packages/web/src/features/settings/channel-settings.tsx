import type { Channel } from '@gatehouse/protocol/channels'
import { maxChannelName, maxTopic } from '@gatehouse/protocol/limits'
import { has, permissionFor } from '@gatehouse/protocol/permissions'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { isMissing } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useMembers, useSelf, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { isCategory, textChannels } from '../../core/servers/channel-order.ts'
import { ownChannelPermissions } from '../../core/servers/permissions.ts'
import { Field } from '../../ui/field.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel, type Section, SettingsPage } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm } from '../../ui/use-submit.ts'
import { ChannelPermissions } from './channel-permissions.tsx'
import { Webhooks } from './webhooks.tsx'

interface ChannelSettingsProps {
  /** Shown while the channel is loading. */
  loading: ReactNode
}

export const ChannelSettings = withSettingsTexts(function ChannelSettings({ loading }: ChannelSettingsProps) {
  const t = useSettingsT()
  const { serverId = '', channelId = '', section } = useParams()
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: channels = [], isPending, error, refetch } = useChannels(serverId)
  const { data: members } = useMembers(serverId)
  const channel = channels.find(({ id }) => id === channelId)
  if (isPending && server) return loading
  if (server && channels.length === 0 && error && !isMissing(error))
    return <LoadFailed error={error} onRetry={() => void refetch()} />
  if (!server || !channel) return <NotFound />
  const roles = members?.find(({ user }) => user.id === self.id)?.roles ?? []
  const viewer = { permissions: server.permissions, userId: self.id, roles }
  const permissions = ownChannelPermissions(channel, viewer)
  const sections: Section[] = []
  if (has(permissions, permissionFor.manageChannels)) {
    const render = () => <Overview key={channel.id} channel={channel} />
    sections.push({ id: 'overview', label: t('settings.overview'), icon: 'hash', render })
    const renderPermissions = () => <ChannelPermissions key={channel.id} channel={channel} />
    sections.push({
      id: 'permissions',
      label: t('settings.permissions'),
      icon: 'lock',
      render: renderPermissions,
    })
  }
  if (!isCategory(channel) && has(permissions, permissionFor.manageWebhooks)) {
    const manageable = textChannels(channels).filter(other =>
      has(ownChannelPermissions(other, viewer), permissionFor.manageWebhooks),
    )
    const render = () => <Webhooks key={channel.id} channel={channel} channels={manageable} />
    sections.push({ id: 'webhooks', label: t('webhook.title'), icon: 'hook', render })
  }
  if (sections.length === 0) return <NotFound />
  return (
    <SettingsPage
      title={isCategory(channel) ? (channel.name ?? '') : `#${channel.name}`}
      base={`/channels/${serverId}/${channelId}/settings`}
      back={isCategory(channel) ? `/channels/${serverId}` : `/channels/${serverId}/${channelId}`}
      current={section}
      sections={sections}
    />
  )
})

const slowModes = [0, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600]

function Overview({ channel }: { channel: Channel }) {
  const { t, dates } = useSettingsI18n()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { forget } = useUnsaved()
  const form = useEditForm(
    { name: channel.name ?? '', topic: channel.topic ?? '', slowMode: channel.slowMode ?? 0 },
    { name: { min: 1, max: maxChannelName }, topic: { max: maxTopic } },
  )
  // A bot may have set another value.
  const waits = [...new Set([...slowModes, channel.slowMode ?? 0])].sort((a, b) => a - b)
  async function save() {
    await api.call('updateChannel', { id: channel.id, body: form.changes })
    await queries.invalidateQueries({ queryKey: keys.channels(channel.serverId ?? '') })
  }
  const texts = isCategory(channel)
    ? ({ name: 'category.name', delete: 'category.delete', confirm: 'category.deleteConfirm' } as const)
    : ({ name: 'channel.name', delete: 'channel.delete', confirm: 'channel.deleteConfirm' } as const)
  const confirmDelete = () =>
    confirm({
      title: t(texts.delete),
      text: t(texts.confirm, { name: channel.name ?? '' }),
      run: async () => {
        await api.call('deleteChannel', { id: channel.id })
        forget()
        // The event CHANNEL_DELETE may arrive later. Until then, the page of the server would redirect to the deleted
        // channel.
        const key = channel.serverId ? keys.channels(channel.serverId) : keys.directChannels
        queries.setQueryData<Channel[]>(key, list => list?.filter(({ id }) => id !== channel.id))
        await navigate(`/channels/${channel.serverId}`)
      },
    })
  return (
    <>
      <SettingsForm form={form} onSave={save}>
        <Field label={t(texts.name)} {...form.field('name')} required />
        {!isCategory(channel) && (
          <>
            <Field label={t('channel.topic')} hint={t('channel.topicHint')} {...form.field('topic')} />
            <div>
              <SelectField
                label={t('channel.slowMode')}
                value={String(form.fields.slowMode)}
                options={waits.map(seconds => ({
                  value: String(seconds),
                  text: seconds === 0 ? t('channel.slowModeOff') : dates.duration(seconds),
                }))}
                onChange={value => form.edit({ slowMode: Number(value) })}
              />
              <p className="hint">{t('channel.slowModeHint')}</p>
            </div>
          </>
        )}
      </SettingsForm>
      <Panel>
        <div className="line">
          <button type="button" className="button danger" onClick={confirmDelete}>
            {t(texts.delete)}
          </button>
        </div>
      </Panel>
    </>
  )
}
