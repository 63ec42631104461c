import type { Application, NotRegistered } from '@gatehouse/protocol/applications'
import { type CommandOption, hasValue, type RegisteredCommand } from '@gatehouse/protocol/commands'
import type { Server } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { commandText } from '../../core/commands.ts'
import type { SettingsTranslate } from '../../core/i18n/settings-i18n.tsx'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { describeDefaultPermissions } from '../../ui/default-permissions.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { withIndexKeys } from '../../ui/index-keys.ts'
import { Panel } from '../../ui/settings-page.tsx'

/** The registered commands of the application: global commands first, then those of single servers. */
export function Commands({ application }: { application: Application }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { data: commands, error } = useQuery({
    queryKey: keys.registeredCommands(application.id),
    queryFn: ({ signal }) => api.call('listApplicationCommands', { id: application.id, signal }),
    staleTime: 0,
  })
  // The bot may have sent a set since the console was opened.
  const { data: current = application } = useQuery({
    queryKey: keys.application(application.id),
    queryFn: ({ signal }) => api.call('getApplication', { id: application.id, signal }),
    staleTime: 0,
  })
  return (
    <Panel hint={t('console.commandsHint')}>
      <NotRegisteredNotice entries={current.notRegistered} />
      <ErrorText error={error} />
      {!commands && !error && <span className="skeleton skeleton-row" />}
      {commands?.length === 0 && (
        <EmptyState icon="slash" title={t('console.noCommands')} text={t('console.noCommandsHint')} />
      )}
      <ul className="rows">
        {commands?.map(command => (
          <CommandRow key={command.id} command={command} />
        ))}
      </ul>
    </Panel>
  )
}

/** What a set in the format of Discord's API had for files (discord/unsupported-options). */
function NotRegisteredNotice({ entries }: { entries: readonly NotRegistered[] }) {
  const t = useSettingsT()
  const servers = useServers()
  if (entries.length === 0) return null
  return (
    <div className="row-card">
      <div className="grow">
        <p>{t('console.notRegistered')}</p>
        <ul className="option-list">
          {withIndexKeys(entries).map(({ key, item: { command, option, serverId } }) => (
            <li key={key}>
              <span>
                {option === undefined
                  ? commandText(command, 'slash')
                  : t('console.notRegisteredOption', { option, command: commandText(command, 'slash') })}
              </span>{' '}
              <span className="badge">{scopeOf(serverId, servers, t)}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function scopeOf(
  serverId: string | undefined,
  servers: readonly Pick<Server, 'id' | 'name'>[],
  t: SettingsTranslate,
): string {
  if (serverId === undefined) return t('console.globalCommand')
  const server = servers.find(({ id }) => id === serverId)
  return t('console.serverCommand', { name: server?.name ?? serverId })
}

function CommandRow({ command }: { command: RegisteredCommand }) {
  const { t, dates } = useSettingsI18n()
  const servers = useServers()
  return (
    <li className="row-card">
      <div className="grow">
        <p>
          <strong>{commandText(command.name, command.type)}</strong>{' '}
          <span className="badge">{t(`command.type.${command.type}`)}</span>{' '}
          <span className="badge">{scopeOf(command.serverId, servers, t)}</span>
        </p>
        {command.description !== '' && <p>{command.description}</p>}
        {describeNames(command, t).map(text => (
          <p key={text} className="hint">
            {text}
          </p>
        ))}
        <p className="hint">{describeDefaultPermissions(command.defaultMemberPermissions, t)}</p>
        <p className="hint">{t('console.commandUpdated', { date: dates.full(command.updatedAt) })}</p>
        {command.options.length > 0 && (
          <ul className="option-list">
            {withIndexKeys(command.options).map(({ key, item }) => (
              <OptionItem key={key} option={item} />
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

function OptionItem({ option }: { option: CommandOption }) {
  const t = useSettingsT()
  return (
    <li>
      <code>{option.name}</code> <span>{option.description}</span>{' '}
      <span className="hint">{describeConstraints(option, t).join(' · ')}</span>
      {!hasValue(option) && option.options.length > 0 && (
        <ul className="option-list">
          {withIndexKeys<CommandOption>(option.options).map(({ key, item }) => (
            <OptionItem key={key} option={item} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** The type and the constraints of an option, as short texts. */
function describeConstraints(option: CommandOption, t: SettingsTranslate): string[] {
  if (!hasValue(option)) return [t(`option.${option.type}`), ...describeNames(option, t)]
  const { type, required, autocomplete, choices, min, max, minLength, maxLength } = option
  const constraints = [t(`option.${type}`), required ? t('command.required') : t('command.optional')]
  if (min !== undefined) constraints.push(`≥ ${min}`)
  if (max !== undefined) constraints.push(`≤ ${max}`)
  if (minLength !== undefined) constraints.push(t('option.minLength', { count: minLength }))
  if (maxLength !== undefined) constraints.push(t('option.maxLength', { count: maxLength }))
  if (choices && choices.length > 0) constraints.push(choices.map(({ name }) => name).join(', '))
  if (autocomplete) constraints.push(t('option.autocomplete'))
  return [...constraints, ...describeNames(option, t)]
}

/** The names in other languages, with the tag of each language. */
function describeNames(
  { nameLocalizations }: Pick<CommandOption, 'nameLocalizations'>,
  t: SettingsTranslate,
): string[] {
  const names = Object.entries(nameLocalizations ?? {}).map(([tag, name]) => `${name} (${tag})`)
  return names.length > 0 ? [t('option.localizedNames', { names: names.join(', ') })] : []
}
