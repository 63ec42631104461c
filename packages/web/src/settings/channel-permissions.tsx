import type { Channel, Overwrite } from '@gatehouse/protocol/channels'
import { has, Permission, parsePermissions } from '@gatehouse/protocol/permissions'
import type { Member, Role } from '@gatehouse/protocol/servers'
import { useId, useState } from 'react'
import { useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { nameOf, roleColor } from '../servers/members.ts'
import { channelPermissions } from '../servers/permissions.ts'
import { inRank } from '../servers/roles.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { OverwriteForm } from './overwrite-form.tsx'
import type { Target } from './overwrite-target.ts'
import { Panel } from './settings-page.tsx'

/** What @everyone, a role or a member may more or less here than on the rest of the server. */
export function ChannelPermissions({ channel }: { channel: Channel }) {
  const t = useT()
  const serverId = channel.serverId ?? ''
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: roles = [] } = useRoles(serverId)
  const { data: members = [] } = useMembers(serverId)
  const [added, setAdded] = useState<Target>()
  const [open, setOpen] = useState<string>()
  const own = members.find(({ user }) => user.id === self.id)?.roles ?? []
  const held = channelPermissions(channel, {
    permissions: server?.permissions ?? '0',
    userId: self.id,
    roles: own,
  })
  // An administrator is one for the whole server, whatever a channel says.
  const may = server?.owner || has(held, Permission.ADMINISTRATOR) ? ~0n : held
  const overwrites = channel.permissionOverwrites
  const listed: Target[] = [
    { id: serverId, type: 'role' },
    ...overwrites.filter(({ id }) => id !== serverId).map(({ id, type }) => ({ id, type })),
  ]
  if (added && !listed.some(({ id }) => id === added.id)) listed.push(added)
  const others = {
    roles: inRank(roles).filter(role => !listed.some(({ id }) => id === role.id)),
    members: members.filter(({ user }) => !listed.some(({ id }) => id === user.id)),
  }
  return (
    <Panel hint={t('overwrite.hint')}>
      <AddTarget
        {...others}
        onAdd={target => {
          setAdded(target)
          setOpen(target.id)
        }}
      />
      <ul className="rows">
        {listed.map(target => {
          const overwrite = overwrites.find(({ id }) => id === target.id)
          const isOpen = open === target.id
          const { name, mark } = describe(target, roles, members, t('chat.unknownUser'))
          return (
            <li key={target.id} className="row-card">
              {mark}
              <div className="grow">
                <strong>{name}</strong>
                <p className="hint">{summary(overwrite)}</p>
              </div>
              <button
                type="button"
                className="button soft small"
                aria-expanded={isOpen}
                aria-label={`${isOpen ? t('action.close') : t('action.edit')}: ${name}`}
                onClick={() => setOpen(isOpen ? undefined : target.id)}
              >
                {isOpen ? t('action.close') : t('action.edit')}
              </button>
              {isOpen && (
                <OverwriteForm
                  channel={channel}
                  target={target}
                  name={name}
                  overwrite={overwrite}
                  changeable={may}
                  onRemoved={() => {
                    setAdded(undefined)
                    setOpen(undefined)
                  }}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )

  function summary(overwrite: Overwrite | undefined): string {
    const allowed = bits(overwrite?.allow)
    const denied = bits(overwrite?.deny)
    if (allowed + denied === 0) return t('overwrite.none')
    return t('overwrite.summary', { allowed, denied })
  }
}

function bits(set: string | undefined): number {
  return [...(parsePermissions(set ?? '0') ?? 0n).toString(2)].filter(bit => bit === '1').length
}

function describe({ id, type }: Target, roles: readonly Role[], members: readonly Member[], unknown: string) {
  if (type === 'member') {
    const member = members.find(({ user }) => user.id === id)
    const name = member ? nameOf(member) : unknown
    return { name, mark: <Avatar src={member?.user.avatar ?? null} name={name} size={28} /> }
  }
  const role = roles.find(other => other.id === id)
  const background = role?.color ? roleColor(role.color) : 'var(--text-quiet)'
  return { name: role?.name ?? unknown, mark: <span className="role-dot" style={{ background }} /> }
}

interface AddTargetProps {
  roles: readonly Role[]
  members: readonly Member[]
  onAdd(target: Target): void
}

function AddTarget({ roles, members, onAdd }: AddTargetProps) {
  const t = useT()
  const id = useId()
  const [chosen, setChosen] = useState('')
  if (roles.length + members.length === 0) return null
  const byName = [...members].sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
  return (
    <div className="field">
      <label htmlFor={id}>{t('overwrite.for')}</label>
      <div className="line copy-line">
        <select
          id={id}
          className="input grow"
          value={chosen}
          onChange={event => setChosen(event.target.value)}
        >
          <option value="">{t('overwrite.choose')}</option>
          <optgroup label={t('member.roles')}>
            {roles.map(role => (
              <option key={role.id} value={role.id}>
                {role.name}
              </option>
            ))}
          </optgroup>
          <optgroup label={t('nav.members')}>
            {byName.map(member => (
              <option key={member.user.id} value={member.user.id}>
                {nameOf(member)}
              </option>
            ))}
          </optgroup>
        </select>
        <button
          type="button"
          className="button"
          disabled={chosen === ''}
          onClick={() => {
            onAdd({ id: chosen, type: roles.some(role => role.id === chosen) ? 'role' : 'member' })
            setChosen('')
          }}
        >
          <Icon name="plus" />
          {t('action.add')}
        </button>
      </div>
    </div>
  )
}
