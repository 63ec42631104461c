import type { Member, Role } from '@gatehouse/protocol/servers'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../api/client.ts'
import { useRoles } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { roleColor } from './members.ts'
import { inRank, isEveryone } from './roles.ts'
import { useStanding } from './standing.ts'

/** The roles of a member; who may gives and takes them here. */
export function MemberRoles({ serverId, member }: { serverId: string; member: Member }) {
  const t = useT()
  const { data: roles = [] } = useRoles(serverId)
  const standing = useStanding(serverId)
  const [editing, setEditing] = useState(false)
  const inOrder = inRank(roles.filter(role => !isEveryone(role)))
  const held = inOrder.filter(({ id }) => member.roles.includes(id))
  const givable = inOrder.filter(standing.gives)
  return (
    <>
      {!editing && held.length > 0 && (
        <ul className="card-roles" aria-label={t('member.roles')}>
          {held.map(role => (
            <li key={role.id}>
              <Dot role={role} />
              {role.name}
            </li>
          ))}
        </ul>
      )}
      {editing && <RoleChecks serverId={serverId} member={member} roles={givable} />}
      {givable.length > 0 && (
        <button
          type="button"
          className="button soft small"
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
  // MEMBER_UPDATE shows what has become of it.
  const change = useMutation({
    mutationFn: ({ role, given }: { role: Role; given: boolean }) =>
      api.send(
        given ? 'PUT' : 'DELETE',
        `/api/servers/${serverId}/members/${member.user.id}/roles/${role.id}`,
      ),
  })
  return (
    <fieldset className="fieldset card-checks">
      <legend className="hint">{t('member.roles')}</legend>
      {roles.map(role => (
        <label key={role.id} className="check">
          <input
            type="checkbox"
            checked={member.roles.includes(role.id)}
            disabled={change.isPending}
            onChange={event => change.mutate({ role, given: event.target.checked })}
          />
          <Dot role={role} />
          <span className="ellipsis">{role.name}</span>
        </label>
      ))}
      {change.error && (
        <p className="problem" role="alert">
          {problemText(change.error, t)}
        </p>
      )}
    </fieldset>
  )
}

function Dot({ role }: { role: Role }) {
  return (
    <span
      className="card-dot"
      style={{ background: role.color ? roleColor(role.color) : 'var(--text-quiet)' }}
    />
  )
}
