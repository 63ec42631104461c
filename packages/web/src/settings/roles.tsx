import { Permission } from '@gatehouse/protocol/permissions'
import type { Role, UserServer } from '@gatehouse/protocol/servers'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useMembers, useRoles } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { roleColor } from '../servers/members.ts'
import { inRank, isEveryone, movedPositions } from '../servers/roles.ts'
import { useStanding } from '../servers/standing.ts'
import { Icon } from '../ui/icon.tsx'
import { RoleForm } from './role-form.tsx'
import { Panel } from './settings-page.tsx'

/** The roles of a server, from the highest to @everyone. */
export function Roles({ server }: { server: UserServer }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const standing = useStanding(server.id)
  const { data: roles, error } = useRoles(server.id)
  const { data: members } = useMembers(server.id)
  const [open, setOpen] = useState<string>()
  const again = () => queries.invalidateQueries({ queryKey: keys.roles(server.id) })
  const path = `/api/servers/${server.id}/roles`
  const create = useMutation({
    mutationFn: () => api.send<Role>('POST', path, { name: t('role.defaultName'), permissions: '0' }),
    onSuccess: async role => {
      await again()
      setOpen(role.id)
    },
  })
  const move = useMutation({
    mutationFn: async ({ id, by }: { id: string; by: -1 | 1 }) => {
      for (const { id: roleId, position } of movedPositions(roles ?? [], id, by)) {
        await api.send('PATCH', `${path}/${roleId}`, { position })
      }
    },
    onSettled: again,
  })
  const problem = error ?? create.error ?? move.error
  const inOrder = inRank(roles ?? [])
  return (
    <Panel hint={t('role.hint')}>
      <div className="line">
        <button type="button" className="button" disabled={create.isPending} onClick={() => create.mutate()}>
          <Icon name="plus" />
          {t('role.create')}
        </button>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problemText(problem, t)}
        </p>
      )}
      {!roles && !error && <span className="skeleton row-ghost" />}
      <ul className="rows">
        {inOrder.map((role, index) => (
          <RoleRow
            key={role.id}
            role={role}
            count={
              isEveryone(role) ? undefined : members?.filter(member => member.roles.includes(role.id)).length
            }
            standing={standing}
            open={open === role.id}
            onToggle={() => setOpen(open === role.id ? undefined : role.id)}
            onMove={by => move.mutate({ id: role.id, by })}
            mayRise={index > 0 && !move.isPending && canPass(inOrder[index - 1])}
            maySink={index < inOrder.length - 2 && !move.isPending && canPass(inOrder[index + 1])}
          />
        ))}
      </ul>
    </Panel>
  )

  function canPass(other: Role | undefined): boolean {
    return other !== undefined && standing.reaches(other)
  }
}

interface RoleRowProps {
  role: Role
  count: number | undefined
  standing: ReturnType<typeof useStanding>
  open: boolean
  onToggle(): void
  onMove(by: -1 | 1): void
  mayRise: boolean
  maySink: boolean
}

function RoleRow({ role, count, standing, open, onToggle, onMove, mayRise, maySink }: RoleRowProps) {
  const t = useT()
  const { name } = role
  const everyone = isEveryone(role)
  const mine = standing.reaches(role) && (standing.permissions & Permission.MANAGE_ROLES) !== 0n
  return (
    <li className="row-card">
      <span
        className="role-dot"
        style={{ background: role.color ? roleColor(role.color) : 'var(--text-quiet)' }}
      />
      <div className="grow">
        <strong>{name}</strong> {role.managed && <span className="badge">{t('chat.bot')}</span>}
        <p className="hint">
          {everyone ? t('role.everyoneHint') : count === undefined ? '' : t('role.members', { count })}
        </p>
      </div>
      {mine && !everyone && (
        <span className="line tight">
          <button
            type="button"
            className="icon-button turned"
            aria-label={t('role.up', { name })}
            title={t('role.up', { name })}
            disabled={!mayRise}
            onClick={() => onMove(-1)}
          >
            <Icon name="chevron" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={t('role.down', { name })}
            title={t('role.down', { name })}
            disabled={!maySink}
            onClick={() => onMove(1)}
          >
            <Icon name="chevron" />
          </button>
        </span>
      )}
      {mine && (
        <button
          type="button"
          className="button soft small"
          aria-expanded={open}
          aria-label={`${open ? t('action.close') : t('action.edit')}: ${name}`}
          onClick={onToggle}
        >
          {open ? t('action.close') : t('action.edit')}
        </button>
      )}
      {open && <RoleForm role={role} changeable={standing.permissions} />}
    </li>
  )
}
