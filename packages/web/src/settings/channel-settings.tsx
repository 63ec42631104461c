import type { Channel } from '@gatehouse/protocol/channels'
import { maxChannelName, maxTopic } from '@gatehouse/protocol/limits'
import { has, Permission } from '@gatehouse/protocol/permissions'
import { type FormEvent, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useChannels, useMembers, useSelf, useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { NotFound } from '../app/not-found.tsx'
import { ShellSkeleton } from '../app/shell-skeleton.tsx'
import { useT } from '../i18n/i18n.tsx'
import { channelPermissions } from '../servers/permissions.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { ChannelPermissions } from './channel-permissions.tsx'
import { Panel, SaveBar, type Section, SettingsPage, useSubmit } from './settings-page.tsx'
import { Webhooks } from './webhooks.tsx'

export function ChannelSettings() {
  const t = useT()
  const { serverId = '', channelId = '', section } = useParams()
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: channels = [], isPending } = useChannels(serverId)
  const { data: members } = useMembers(serverId)
  const channel = channels.find(({ id }) => id === channelId)
  if (isPending && server) return <ShellSkeleton />
  if (!server || !channel) return <NotFound />
  const roles = members?.find(({ user }) => user.id === self.id)?.roles ?? []
  const who = { permissions: server.permissions, userId: self.id, roles }
  const may = channelPermissions(channel, who)
  const sections: Section[] = []
  if (has(may, Permission.MANAGE_CHANNELS)) {
    const render = () => <Overview key={channel.id} channel={channel} />
    sections.push({ id: 'overview', label: t('channel.overview'), icon: 'hash', render })
    const renderPermissions = () => <ChannelPermissions key={channel.id} channel={channel} />
    sections.push({
      id: 'permissions',
      label: t('channel.permissions'),
      icon: 'lock',
      render: renderPermissions,
    })
  }
  if (has(may, Permission.MANAGE_WEBHOOKS)) {
    const managed = channels.filter(other => has(channelPermissions(other, who), Permission.MANAGE_WEBHOOKS))
    const render = () => <Webhooks key={channel.id} channel={channel} channels={managed} />
    sections.push({ id: 'webhooks', label: t('webhook.title'), icon: 'hook', render })
  }
  if (sections.length === 0) return <NotFound />
  return (
    <SettingsPage
      title={`#${channel.name}`}
      base={`/channels/${serverId}/${channelId}/settings`}
      back={`/channels/${serverId}/${channelId}`}
      current={section}
      sections={sections}
    />
  )
}

function Overview({ channel }: { channel: Channel }) {
  const t = useT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const [name, setName] = useState(channel.name ?? '')
  const [topic, setTopic] = useState(channel.topic ?? '')
  const { busy, saved, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    name: { min: 1, max: maxChannelName },
    topic: { max: maxTopic },
  })
  const dirty = name !== channel.name || topic !== (channel.topic ?? '')
  function save(event: FormEvent) {
    event.preventDefault()
    const body = { name, topic: topic.trim() === '' ? null : topic }
    void submit(() => api.send('PATCH', `/api/channels/${channel.id}`, body))
  }
  const ask = () =>
    confirm({
      title: t('channel.delete'),
      text: t('channel.deleteConfirm', { name: channel.name ?? '' }),
      action: t('channel.delete'),
      run: async () => {
        await api.send('DELETE', `/api/channels/${channel.id}`)
        // The event may come later: the server's page must not lead back to what is gone.
        const key = channel.serverId ? keys.channels(channel.serverId) : keys.directChannels
        queries.setQueryData<Channel[]>(key, list => list?.filter(({ id }) => id !== channel.id))
        await navigate(`/channels/${channel.serverId}`)
      },
    })
  return (
    <>
      <form className="stack" onSubmit={save}>
        <Field
          label={t('channel.name')}
          value={name}
          onChange={setName}
          required
          maxLength={maxChannelName}
          autoComplete="off"
          problem={at.name}
        />
        <Field
          label={t('channel.topic')}
          hint={t('channel.topicHint')}
          value={topic}
          onChange={setTopic}
          maxLength={maxTopic}
          autoComplete="off"
          problem={at.topic}
        />
        <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
      </form>
      <Panel>
        <div className="line">
          <button type="button" className="button bad" onClick={ask}>
            {t('channel.delete')}
          </button>
        </div>
      </Panel>
    </>
  )
}
