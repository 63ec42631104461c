import { permissionNames, readPermissions } from '@gatehouse/protocol/permissions'
import type { Integration, UserServer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EditToggle } from '../../ui/edit-toggle.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { userText } from '../../ui/user-name.tsx'
import { BotCommands } from './bot-commands.tsx'

/** The bots of a server, with their permissions and commands. */
export function ServerBots({ server }: { server: UserServer }) {
  const { t, dates } = useSettingsI18n()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const { leave } = useUnsaved()
  const [openId, setOpenId] = useState<string>()
  const toggle = (id: string) => setOpenId(id === openId ? undefined : id)
  const { data: integrations, error } = useQuery({
    queryKey: keys.integrations(server.id),
    queryFn: ({ signal }) => api.call('listIntegrations', { id: server.id, signal }),
    staleTime: 0,
  })
  const confirmRemove = ({ application, bot }: Integration) =>
    confirm({
      title: t('server.removeBot', { name: application.name }),
      text: t('server.removeBotConfirm', { name: application.name }),
      action: t('action.remove'),
      run: async () => {
        await api.call('removeMember', { id: server.id, userId: bot.id })
        await queries.invalidateQueries({ queryKey: keys.integrations(server.id) })
      },
    })
  return (
    <Panel>
      <ErrorText error={error} />
      {integrations?.length === 0 && <EmptyState icon="bot" text={t('server.noIntegrations')} />}
      <ul className="rows">
        {integrations?.map(integration => (
          <li key={integration.application.id} className="row-card">
            <Avatar src={integration.bot.avatar} name={integration.application.name} size={40} />
            <div className="grow">
              <strong>{integration.application.name}</strong>
              <p className="hint">
                {t('server.addedBy', {
                  name: userText(integration.addedBy),
                  date: dates.day(integration.addedAt),
                })}
              </p>
              <BotPermissions permissions={integration.permissions} />
            </div>
            {integration.scopes.includes('applications.commands') && (
              <EditToggle
                name={integration.application.name}
                open={openId === integration.application.id}
                action={t('console.commands')}
                onToggle={() => leave(() => toggle(integration.application.id))}
              />
            )}
            <button
              type="button"
              className="button secondary small"
              aria-label={`${t('action.remove')}: ${integration.application.name}`}
              onClick={() => confirmRemove(integration)}
            >
              {t('action.remove')}
            </button>
            {openId === integration.application.id && (
              <BotCommands server={server} application={integration.application} />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function BotPermissions({ permissions }: { permissions: string }) {
  const t = useSettingsT()
  const names = permissionNames(readPermissions(permissions))
  if (names.length === 0) return <p className="hint">{t('server.noBotPermissions')}</p>
  return (
    <ul className="chips" aria-label={t('settings.permissions')}>
      {names.map(name => (
        <li key={name}>{t(`permission.${name}`)}</li>
      ))}
    </ul>
  )
}
