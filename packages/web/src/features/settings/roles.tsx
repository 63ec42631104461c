import { has, permissionFor } from '@gatehouse/protocol/permissions'
import { isEveryone, sortRoles } from '@gatehouse/protocol/role-order'
import type { Role, UserServer } from '@gatehouse/protocol/servers'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useMembers, useRoles } from '../../core/api/queries.ts'
import { maxLoadedMembers } from '../../core/api/query-options.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { roleColor } from '../../core/servers/members.ts'
import { useRoleAccess } from '../../core/servers/role-access.ts'
import { neighbourOf } from '../../core/servers/roles.ts'
import { EditToggle } from '../../ui/edit-toggle.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { RoleForm } from './role-form.tsx'

/** The roles of a server, from the highest to @everyone. */
export function Roles({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const access = useRoleAccess(server.id)
  const { data: roles, error } = useRoles(server.id)
  const { data: members = [], isSuccess } = useMembers(server.id)
  // Without all members, the numbers would be too low.
  const hasAllMembers = isSuccess && members.length < maxLoadedMembers
  const { leave } = useUnsaved()
  const [openId, setOpenId] = useState<string>()
  const refresh = () => queries.invalidateQueries({ queryKey: keys.roles(server.id) })
  const create = useMutation({
    mutationFn: () =>
      api.call('createRole', { id: server.id, body: { name: t('role.create'), permissions: '0' } }),
    onSuccess: async role => {
      await refresh()
      setOpenId(role.id)
    },
  })
  const move = useMutation({
    mutationFn: async ({ id, offset }: { id: string; offset: -1 | 1 }) => {
      const other = neighbourOf(roles ?? [], id, offset)
      if (other) await api.call('moveRoles', { id: server.id, body: [{ id, position: other.place }] })
    },
    onSettled: refresh,
  })
  const problem = error ?? create.error ?? move.error
  const sorted = sortRoles(roles ?? [])
  return (
    <Panel hint={t('role.hint')}>
      <div className="line">
        <button
          type="button"
          className="button"
          disabled={create.isPending}
          onClick={() =>
            leave(() => {
              move.reset()
              create.mutate()
            })
          }
        >
          <Icon name="plus" />
          {t('role.create')}
        </button>
      </div>
      <ErrorText error={problem} />
      {!roles && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows">
        {sorted.map(role => (
          <RoleRow
            key={role.id}
            role={role}
            memberCount={
              isEveryone(role) || !hasAllMembers
                ? undefined
                : members.filter(member => member.roles.includes(role.id)).length
            }
            access={access}
            open={openId === role.id}
            onToggle={() => leave(() => setOpenId(openId === role.id ? undefined : role.id))}
            onMove={offset => {
              create.reset()
              move.mutate({ id: role.id, offset })
            }}
            canMoveUp={canMove(role, -1)}
            canMoveDown={canMove(role, 1)}
          />
        ))}
      </ul>
    </Panel>
  )

  function canMove(role: Role, offset: -1 | 1): boolean {
    const other = neighbourOf(roles ?? [], role.id, offset)
    return !move.isPending && other !== undefined && [role, other.role].every(access.canMove)
  }
}

interface RoleRowProps {
  role: Role
  memberCount: number | undefined
  access: ReturnType<typeof useRoleAccess>
  open: boolean
  onToggle(): void
  onMove(offset: -1 | 1): void
  canMoveUp: boolean
  canMoveDown: boolean
}

function RoleRow({
  role,
  memberCount,
  access,
  open,
  onToggle,
  onMove,
  canMoveUp,
  canMoveDown,
}: RoleRowProps) {
  const t = useSettingsT()
  const { name } = role
  const isEveryoneRole = isEveryone(role)
  const editable = access.canManage(role) && has(access.permissions, permissionFor.manageRoles)
  return (
    <li className="row-card">
      <span
        className="role-dot"
        style={{ background: role.color ? roleColor(role.color) : 'var(--text-quiet)' }}
      />
      <div className="grow">
        <strong>{name}</strong> {role.managed && <span className="badge">{t('chat.bot')}</span>}
        <p className="hint">
          {isEveryoneRole
            ? t('role.everyoneHint')
            : memberCount === undefined
              ? ''
              : t('member.count', { count: memberCount })}
        </p>
      </div>
      {editable && !isEveryoneRole && (
        <span className="line tight">
          <button
            type="button"
            className="icon-button rotated"
            aria-label={t('role.up', { name })}
            title={t('role.up', { name })}
            disabled={!canMoveUp}
            onClick={() => onMove(-1)}
          >
            <Icon name="chevron" />
          </button>
          <IconButton
            icon="chevron"
            label={t('role.down', { name })}
            disabled={!canMoveDown}
            onClick={() => onMove(1)}
          />
        </span>
      )}
      {editable && <EditToggle name={name} open={open} onToggle={onToggle} />}
      {open && <RoleForm role={role} changeable={access.permissions} />}
    </li>
  )
}
