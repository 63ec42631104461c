import type { Application } from '@gatehouse/protocol/applications'
import type { Option, RegisteredCommand } from '@gatehouse/protocol/commands'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import type { Translate } from '../i18n/translate.ts'
import { Panel } from '../settings/settings-page.tsx'
import { Icon } from '../ui/icon.tsx'
import { inOrder } from '../ui/in-order.ts'

/** What the bot has registered, as the service keeps it: everywhere first, then on single servers. */
export function Commands({ application }: { application: Application }) {
  const t = useT()
  const { api } = useClient()
  const { data: list, error } = useQuery({
    queryKey: keys.registeredCommands(application.id),
    queryFn: ({ signal }) =>
      api.get<RegisteredCommand[]>(`/api/applications/${application.id}/commands`, signal),
    staleTime: 0,
  })
  return (
    <Panel hint={t('console.commandsHint')}>
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {!list && !error && <span className="skeleton row-ghost" />}
      {list?.length === 0 && (
        <div className="empty">
          <Icon name="slash" />
          <h2>{t('console.noCommands')}</h2>
          <p>{t('console.noCommandsHint')}</p>
        </div>
      )}
      <ul className="rows">
        {list?.map(command => (
          <CommandRow key={command.id} command={command} />
        ))}
      </ul>
    </Panel>
  )
}

function CommandRow({ command }: { command: RegisteredCommand }) {
  const { t, dates } = useI18n()
  const { serverId } = command
  const server = useServers().find(({ id }) => id === serverId)
  const where = serverId ? t('console.onServer', { name: server?.name ?? serverId }) : t('console.everywhere')
  return (
    <li className="row-card">
      <div className="grow">
        <p>
          <strong>/{command.name}</strong> <span className="badge">{where}</span>
        </p>
        <p>{command.description}</p>
        <p className="hint">{t('console.commandChanged', { date: dates.full(command.updatedAt) })}</p>
        {command.options.length > 0 && (
          <ul className="option-list">
            {inOrder(command.options).map(({ key, item }) => (
              <OptionLine key={key} option={item} />
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

function OptionLine({ option }: { option: Option }) {
  const t = useT()
  return (
    <li>
      <code>{option.name}</code> <span>{option.description}</span>{' '}
      <span className="hint">{rulesOf(option, t).join(' · ')}</span>
    </li>
  )
}

/** What an option is held to, in few words. */
function rulesOf({ type, required, choices, min, max }: Option, t: Translate): string[] {
  const rules = [t(`option.${type}`), required ? t('command.required') : t('command.optional')]
  if (min !== undefined) rules.push(`≥ ${min}`)
  if (max !== undefined) rules.push(`≤ ${max}`)
  if (choices && choices.length > 0) rules.push(choices.map(({ name }) => name).join(', '))
  return rules
}
