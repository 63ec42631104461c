import type { CommandOverride } from '@gatehouse/protocol/commands'
import type { Integration, UserServer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { commandText } from '../../core/commands.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { describeDefaultPermissions } from '../../ui/default-permissions.ts'
import { EditToggle } from '../../ui/edit-toggle.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { CommandOverridesForm } from './command-overrides-form.tsx'

interface BotCommandsProps {
  server: UserServer
  application: Integration['application']
}

/** The commands of a bot on a server, and who may use them (bots/command-overrides). */
export function BotCommands({ server, application }: BotCommandsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const { leave } = useUnsaved()
  const [openId, setOpenId] = useState<string>()
  const { data, error } = useQuery({
    queryKey: keys.commandPermissions(server.id),
    queryFn: ({ signal }) => api.call('listServerCommandPermissions', { id: server.id, signal }),
    staleTime: 0,
  })
  const commands = data?.filter(({ applicationId }) => applicationId === application.id)
  return (
    <div className="stack">
      <p className="hint">{commands?.length === 0 ? t('commandAccess.none') : t('commandAccess.hint')}</p>
      <ErrorText error={error} />
      {!data && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows" aria-label={t('console.commands')}>
        {commands?.map(command => {
          const name = commandText(command.name, command.type)
          const isOpen = openId === command.id
          return (
            <li key={command.id} className="row-card">
              <div className="grow">
                <strong>{name}</strong>
                <p className="hint">{describeDefaultPermissions(command.defaultMemberPermissions, t)}</p>
                {command.overrides.length > 0 && (
                  <p className="hint">{t('overwrite.summary', countChoices(command.overrides))}</p>
                )}
              </div>
              <EditToggle
                name={name}
                open={isOpen}
                onToggle={() => leave(() => setOpenId(isOpen ? undefined : command.id))}
              />
              {isOpen && <CommandOverridesForm server={server} command={command} />}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function countChoices(overrides: readonly CommandOverride[]) {
  const allowed = overrides.filter(({ allow }) => allow).length
  return { allowed, denied: overrides.length - allowed }
}
