import type { Application } from '@gatehouse/protocol/applications'
import type { Channel } from '@gatehouse/protocol/channels'
import { useState } from 'react'
import { Link } from 'react-router'
import { useChannels, useCommands, useServers } from '../../core/api/queries.ts'
import { commandText } from '../../core/commands.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ChannelProvider, useChannelContextValue } from '../../core/servers/channel-context.ts'
import { textChannels } from '../../core/servers/channel-order.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useMarkUnsaved } from '../../ui/unsaved.ts'
import type { Entries } from '../commands/index.ts'
import { defaultResponse, isWritten } from './example-responses.ts'
import { TryForm } from './try-form.tsx'

/**
 * Invokes a command with a response from the developer, without a bot. Shows the interaction and the rendered response.
 */
export function TryIt({ application }: { application: Application }) {
  const t = useSettingsT()
  const servers = useServers()
  const [serverId, setServerId] = useState(servers[0]?.id ?? '')
  const { data } = useChannels(serverId || null)
  const channels = data && textChannels(data)
  const [channelId, setChannelId] = useState<string>()
  // Another command or channel keeps what the user has entered.
  const [draft, setDraft] = useState<TrialDraft>({ response: defaultResponse, entries: {} })
  useMarkUnsaved(isWritten(draft.response) || hasText(draft.entries))
  const channel = channels?.find(({ id }) => id === channelId) ?? channels?.[0]
  if (servers.length === 0) return <NoCommand application={application} />
  return (
    <Panel hint={t('try.hint')}>
      <div className="pair">
        <SelectField
          label={t('try.server')}
          value={serverId}
          options={servers.map(({ id, name }) => ({ value: id, text: name }))}
          onChange={setServerId}
        />
        <SelectField
          label={t('try.channel')}
          value={channel?.id ?? ''}
          options={channels?.map(({ id, name }) => ({ value: id, text: `#${name}` })) ?? []}
          onChange={setChannelId}
        />
      </div>
      {channel && (
        <ChannelCommands
          key={channel.id}
          application={application}
          channel={channel}
          draft={draft}
          onDraft={setDraft}
        />
      )}
    </Panel>
  )
}

/** The response, and the options of each command by its key. */
interface TrialDraft {
  response: string
  entries: Readonly<Record<string, Entries>>
}

function hasText(entries: TrialDraft['entries']): boolean {
  return Object.values(entries).some(ofCommand => Object.values(ofCommand).some(({ text }) => text !== ''))
}

interface ChannelCommandsProps {
  application: Application
  channel: Channel
  draft: TrialDraft
  onDraft(draft: TrialDraft): void
}

function ChannelCommands({ application, channel, draft, onDraft }: ChannelCommandsProps) {
  const t = useSettingsT()
  const channelContext = useChannelContextValue(channel, channel.name ?? '')
  const { data: commands } = useCommands(channel.id, true)
  const [commandKey, setCommandKey] = useState<string>()
  const ownCommands = commands?.filter(command => command.application.id === application.id)
  const command = ownCommands?.find(({ key }) => key === commandKey) ?? ownCommands?.[0]
  if (!ownCommands) return <span className="skeleton skeleton-row" />
  if (!command) return <NoCommand application={application} />
  return (
    <ChannelProvider value={channelContext}>
      <SelectField
        label={t('try.command')}
        value={command.key}
        options={ownCommands.map(({ key, type, label, description }) => ({
          value: key,
          text: `${commandText(label, type)} — ${type === 'slash' ? description : t(`command.type.${type}`)}`,
        }))}
        onChange={setCommandKey}
      />
      <TryForm
        key={command.key}
        application={application}
        command={command}
        channelId={channel.id}
        entries={draft.entries[command.key] ?? {}}
        onEntries={entries => onDraft({ ...draft, entries: { ...draft.entries, [command.key]: entries } })}
        response={draft.response}
        onResponse={response => onDraft({ ...draft, response })}
      />
    </ChannelProvider>
  )
}

/** No command is available. Links to the pages that install the bot and list its commands. */
function NoCommand({ application }: { application: Application }) {
  const t = useSettingsT()
  return (
    <EmptyState icon="slash" title={t('try.none')} text={t('try.noneHint')}>
      <Link className="button secondary" to={`/developers/${application.id}/bot`}>
        {t('console.install')}
      </Link>
      <Link className="button secondary" to={`/developers/${application.id}/commands`}>
        {t('console.commands')}
      </Link>
    </EmptyState>
  )
}
