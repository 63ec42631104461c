import { isEveryone, sortRoles } from '@gatehouse/protocol/role-order'
import type { Member, Role } from '@gatehouse/protocol/servers'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useRoles } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { roleColor } from '../../core/servers/members.ts'
import { useRoleAccess } from '../../core/servers/role-access.ts'
import { ErrorText } from '../../ui/error-text.tsx'

/** The roles of a member. A user with the permission can assign and remove roles. */
export function MemberRoles({ serverId, member }: { serverId: string; member: Member }) {
  const t = useT()
  const { data: roles = [] } = useRoles(serverId)
  const access = useRoleAccess(serverId)
  const [editing, setEditing] = useState(false)
  const sorted = sortRoles(roles.filter(role => !isEveryone(role)))
  const memberRoles = sorted.filter(({ id }) => member.roles.includes(id))
  const assignable = sorted.filter(access.canAssign)
  return (
    <>
      {!editing && memberRoles.length > 0 && (
        <ul className="member-roles" aria-label={t('member.roles')}>
          {memberRoles.map(role => (
            <li key={role.id}>
              <RoleDot role={role} />
              {role.name}
            </li>
          ))}
        </ul>
      )}
      {editing && <RoleChecks serverId={serverId} member={member} roles={assignable} />}
      {assignable.length > 0 && (
        <button
          type="button"
          className="button secondary small"
          aria-expanded={editing}
          onClick={() => setEditing(!editing)}
        >
          {editing ? t('action.done') : t('member.editRoles')}
        </button>
      )}
    </>
  )
}

function RoleChecks({ serverId, member, roles }: { serverId: string; member: Member; roles: Role[] }) {
  const t = useT()
  const { api } = useClient()
  // The event MEMBER_UPDATE updates the shown roles.
  const updateRole = useMutation({
    mutationFn: ({ role, assigned }: { role: Role; assigned: boolean }) =>
      api.call(assigned ? 'addMemberRole' : 'removeMemberRole', {
        id: serverId,
        userId: member.user.id,
        roleId: role.id,
      }),
  })
  return (
    <fieldset className="fieldset member-role-checks">
      <legend className="hint">{t('member.roles')}</legend>
      {roles.map(role => (
        <label key={role.id} className="check">
          <input
            type="checkbox"
            checked={member.roles.includes(role.id)}
            disabled={updateRole.isPending}
            onChange={event => updateRole.mutate({ role, assigned: event.target.checked })}
          />
          <RoleDot role={role} />
          <span className="ellipsis">{role.name}</span>
        </label>
      ))}
      <ErrorText error={updateRole.error} />
    </fieldset>
  )
}

function RoleDot({ role }: { role: Role }) {
  return (
    <span
      className="member-role-dot"
      style={{ background: role.color ? roleColor(role.color) : 'var(--text-quiet)' }}
    />
  )
}
