import type { Application } from '@gatehouse/protocol/applications'
import type { Channel } from '@gatehouse/protocol/channels'
import { useState } from 'react'
import { Link } from 'react-router'
import { useChannels, useCommands, useServers } from '../api/queries.ts'
import { ChannelProvider, useChannelContext } from '../chat/channel-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Panel } from '../settings/settings-page.tsx'
import { Icon } from '../ui/icon.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { TryForm } from './try-form.tsx'

/** A command used, and answered by hand: the event that the bot would get, what its answer looks like. No bot runs. */
export function TryIt({ application }: { application: Application }) {
  const t = useT()
  const servers = useServers()
  const [serverId, setServer] = useState(servers[0]?.id ?? '')
  const { data: channels } = useChannels(serverId || null)
  const [channelId, setChannel] = useState<string>()
  const channel = channels?.find(({ id }) => id === channelId) ?? channels?.[0]
  if (servers.length === 0) return <NoCommand application={application} />
  return (
    <Panel hint={t('try.hint')}>
      <div className="pair">
        <SelectField
          label={t('try.server')}
          value={serverId}
          options={servers.map(({ id, name }) => ({ value: id, text: name }))}
          onChange={setServer}
        />
        <SelectField
          label={t('try.channel')}
          value={channel?.id ?? ''}
          options={channels?.map(({ id, name }) => ({ value: id, text: `#${name}` })) ?? []}
          onChange={setChannel}
        />
      </div>
      {channel && <InChannel key={channel.id} application={application} channel={channel} />}
    </Panel>
  )
}

function InChannel({ application, channel }: { application: Application; channel: Channel }) {
  const t = useT()
  const context = useChannelContext(channel, channel.name ?? '')
  const { data: commands } = useCommands(channel.id, true)
  const [commandId, setCommand] = useState<string>()
  const own = commands?.filter(command => command.application.id === application.id)
  const command = own?.find(({ id }) => id === commandId) ?? own?.[0]
  if (!own) return <span className="skeleton row-ghost" />
  if (!command) return <NoCommand application={application} />
  return (
    <ChannelProvider value={context}>
      <SelectField
        label={t('try.command')}
        value={command.id}
        options={own.map(({ id, name, description }) => ({ value: id, text: `/${name} — ${description}` }))}
        onChange={setCommand}
      />
      <TryForm key={command.id} application={application} command={command} channelId={channel.id} />
    </ChannelProvider>
  )
}

/** What is missing, and where it is made. */
function NoCommand({ application }: { application: Application }) {
  const t = useT()
  return (
    <div className="empty">
      <Icon name="slash" />
      <h2>{t('try.none')}</h2>
      <p>{t('try.noneHint')}</p>
      <div className="line">
        <Link className="button soft" to={`/developers/${application.id}/bot`}>
          {t('console.install')}
        </Link>
        <Link className="button soft" to={`/developers/${application.id}/commands`}>
          {t('console.commands')}
        </Link>
      </div>
    </div>
  )
}
