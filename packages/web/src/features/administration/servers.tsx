import type { AdminApplication, AdminServer } from '@gatehouse/protocol/administration'
import { maxEmail } from '@gatehouse/protocol/limits'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { type SettingsI18n, useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { userText } from '../../ui/user-name.tsx'
import { useAct } from './acts.tsx'
import { SearchList } from './search-list.tsx'

/** All servers of the instance. */
export function Servers() {
  const t = useSettingsT()
  const { api } = useClient()
  return (
    <SearchList
      label={t('admin.findServers')}
      hint={t('admin.findOwnedHint')}
      none={t('admin.nothingFound')}
      keyOf={keys.adminServers}
      load={(query, signal) => api.call('listAdminServers', { query, signal })}
    >
      {server => <ServerRow server={server} />}
    </SearchList>
  )
}

/** All applications of the instance. */
export function Applications() {
  const t = useSettingsT()
  const { api } = useClient()
  return (
    <SearchList
      label={t('admin.findApplications')}
      hint={t('admin.findOwnedHint')}
      none={t('admin.nothingFound')}
      keyOf={keys.adminApplications}
      load={(query, signal) => api.call('listAdminApplications', { query, signal })}
    >
      {application => <ApplicationRow application={application} />}
    </SearchList>
  )
}

function ServerRow({ server: { id, ...server } }: { server: AdminServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const act = useAct()
  const reload = () => queries.invalidateQueries({ queryKey: keys.allAdminServers })
  const isDisabled = server.disabledAt !== null
  const { name } = server
  const disable = () =>
    act({
      title: t(isDisabled ? 'admin.enable' : 'admin.disable'),
      text: t(isDisabled ? 'admin.enableServerText' : 'admin.disableServerText', { name }),
      isHarmless: isDisabled,
      run: async (proof, { reason }) => {
        await api.call('updateAdminServer', { id, reason, body: { disabled: !isDisabled, ...proof } })
        await reload()
      },
    })
  const transfer = () =>
    act({
      title: t('admin.transfer'),
      text: t('admin.transferText', { name }),
      field: newOwnerField(t),
      run: async (proof, { reason, field }) => {
        await api.call('updateAdminServer', { id, reason, body: { owner: field, ...proof } })
        await reload()
      },
    })
  const remove = () =>
    act({
      title: t('admin.delete'),
      text: t('server.deleteConfirm', { name }),
      run: async (proof, { reason }) => {
        await api.call('deleteAdminServer', { id, reason, body: proof ?? {} })
        await reload()
      },
    })
  return (
    <OwnedRow
      {...server}
      id={id}
      size={t('admin.serverSize', { members: server.members, channels: server.channels })}
    >
      <RowButton name={name} label={t(isDisabled ? 'admin.enable' : 'admin.disable')} onClick={disable} />
      {!isDisabled && <RowButton name={name} label={t('admin.transfer')} onClick={transfer} />}
      <RowButton name={name} label={t('admin.delete')} onClick={remove} />
    </OwnedRow>
  )
}

function ApplicationRow({ application: { id, ...application } }: { application: AdminApplication }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const act = useAct()
  const reload = () => queries.invalidateQueries({ queryKey: keys.allAdminApplications })
  const isDisabled = application.disabledAt !== null
  const { name, bot, authorizations } = application
  const disable = () =>
    act({
      title: t(isDisabled ? 'admin.enable' : 'admin.disable'),
      text: t(isDisabled ? 'admin.enableApplicationText' : 'admin.disableApplicationText', { name }),
      isHarmless: isDisabled,
      run: async (proof, { reason }) => {
        await api.call('updateAdminApplication', { id, reason, body: { disabled: !isDisabled, ...proof } })
        await reload()
      },
    })
  const transfer = () =>
    act({
      title: t('admin.transfer'),
      text: t('admin.transferApplicationText', { name }),
      field: newOwnerField(t),
      run: async (proof, { reason, field }) => {
        await api.call('updateAdminApplication', { id, reason, body: { owner: field, ...proof } })
        await reload()
      },
    })
  const remove = () =>
    act({
      title: t('admin.delete'),
      text: t('admin.deleteApplicationText', { name }),
      run: async (proof, { reason }) => {
        await api.call('deleteAdminApplication', { id, reason, body: proof ?? {} })
        await reload()
      },
    })
  const size = [
    t('admin.authorizations', { count: authorizations }),
    ...(bot ? [t('admin.bot', { name: bot.username })] : []),
  ].join(' · ')
  return (
    <OwnedRow {...application} id={id} size={size}>
      <RowButton name={name} label={t(isDisabled ? 'admin.enable' : 'admin.disable')} onClick={disable} />
      <RowButton name={name} label={t('admin.transfer')} onClick={transfer} />
      <RowButton name={name} label={t('admin.delete')} onClick={remove} />
    </OwnedRow>
  )
}

function newOwnerField(t: SettingsI18n['t']) {
  return {
    label: t('admin.newOwner'),
    hint: t('admin.newOwnerHint'),
    maxLength: maxEmail,
    problems: {
      not_found: t('admin.nobody'),
      conflict: t('admin.newOwnerDisabled'),
      banned: t('admin.newOwnerBanned'),
    },
  }
}

interface OwnedRowProps
  extends Pick<AdminServer, 'id' | 'name' | 'icon' | 'owner' | 'disabledAt' | 'createdAt'> {
  size: string
  children: ReactNode
}

function OwnedRow({ id, name, icon, owner, disabledAt, createdAt, size, children }: OwnedRowProps) {
  const { t, dates } = useSettingsI18n()
  return (
    <>
      <Avatar src={icon} name={name} size={40} />
      <div className="grow">
        <strong>{name}</strong> {disabledAt !== null && <span className="badge">{t('admin.disabled')}</span>}
        <p className="hint">
          <Link to={`/administration/users/${owner.id}`}>{userText(owner)}</Link> · {size}
        </p>
        <p className="hint">
          {id} · {dates.full(createdAt)}
        </p>
        <div className="line">{children}</div>
      </div>
    </>
  )
}

function RowButton({ name, label, onClick }: { name: string; label: string; onClick(): void }) {
  return (
    <button
      type="button"
      className="button secondary small"
      aria-label={`${label}: ${name}`}
      onClick={onClick}
    >
      {label}
    </button>
  )
}
