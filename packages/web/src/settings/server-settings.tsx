import { maxServerName } from '@gatehouse/protocol/limits'
import { Permission } from '@gatehouse/protocol/permissions'
import type { Integration, UserServer } from '@gatehouse/protocol/servers'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useServers } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { NotFound } from '../app/not-found.tsx'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { mayOnServer } from '../servers/permissions.ts'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Roles } from './roles.tsx'
import { Panel, SaveBar, type Section, SettingsPage, useSubmit } from './settings-page.tsx'

export function ServerSettings() {
  const t = useT()
  const { serverId = '', section } = useParams()
  const server = useServers().find(({ id }) => id === serverId)
  const sections: Section[] = []
  if (server && mayOnServer(server, Permission.MANAGE_SERVER)) {
    const render = () => <Overview server={server} />
    sections.push({ id: 'overview', label: t('server.overview'), icon: 'settings', render })
  }
  if (server && mayOnServer(server, Permission.MANAGE_ROLES)) {
    const render = () => <Roles server={server} />
    sections.push({ id: 'roles', label: t('member.roles'), icon: 'people', render })
  }
  if (server && mayOnServer(server, Permission.MANAGE_SERVER)) {
    const render = () => <Integrations server={server} />
    sections.push({ id: 'bots', label: t('server.integrations'), icon: 'bot', render })
  }
  if (!server || sections.length === 0) return <NotFound />
  return (
    <SettingsPage
      title={server.name}
      base={`/channels/${serverId}/settings`}
      back={`/channels/${serverId}`}
      current={section}
      sections={sections}
    />
  )
}

function Overview({ server }: { server: UserServer }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const [name, setName] = useState(server.name)
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
  function save(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      await api.send('PATCH', `/api/servers/${server.id}`, { name })
      await queries.invalidateQueries({ queryKey: keys.servers })
    })
  }
  const ask = () =>
    confirm({
      title: t('server.delete'),
      text: t('server.deleteConfirm', { name: server.name }),
      action: t('server.delete'),
      run: async () => {
        await api.send('DELETE', `/api/servers/${server.id}`)
        await queries.invalidateQueries({ queryKey: keys.servers })
        await navigate('/')
      },
    })
  return (
    <>
      <form className="stack" onSubmit={save}>
        <Field
          label={t('server.name')}
          value={name}
          onChange={setName}
          required
          maxLength={maxServerName}
          autoComplete="off"
        />
        <SaveBar dirty={name !== server.name} busy={busy} saved={saved} problem={problem} />
      </form>
      {server.owner && (
        <Panel>
          <div className="line">
            <button type="button" className="button bad" onClick={ask}>
              {t('server.delete')}
            </button>
          </div>
        </Panel>
      )}
    </>
  )
}

function Integrations({ server }: { server: UserServer }) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const { data: list, error } = useQuery({
    queryKey: keys.integrations(server.id),
    queryFn: ({ signal }) => api.get<Integration[]>(`/api/servers/${server.id}/integrations`, signal),
    staleTime: 0,
  })
  const ask = ({ application, bot }: Integration) =>
    confirm({
      title: t('server.removeBot', { name: application.name }),
      text: t('server.removeBotConfirm', { name: application.name }),
      action: t('action.remove'),
      run: async () => {
        await api.send('DELETE', `/api/servers/${server.id}/members/${bot.id}`)
        await queries.invalidateQueries({ queryKey: keys.integrations(server.id) })
      },
    })
  return (
    <Panel>
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {list?.length === 0 && (
        <div className="empty">
          <Icon name="bot" />
          <p>{t('server.noIntegrations')}</p>
        </div>
      )}
      <ul className="rows">
        {list?.map(integration => (
          <li key={integration.application.id} className="row-card">
            <Avatar src={integration.bot.avatar} name={integration.application.name} size={40} />
            <div className="grow">
              <strong>{integration.application.name}</strong>
              <p className="hint">
                {t('server.addedBy', {
                  name: integration.addedBy.displayName,
                  date: dates.day(integration.addedAt),
                })}
              </p>
            </div>
            <button type="button" className="button soft small" onClick={() => ask(integration)}>
              {t('action.remove')}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
