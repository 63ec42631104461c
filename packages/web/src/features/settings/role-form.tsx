import { maxRoleName } from '@gatehouse/protocol/limits'
import { formatPermissions, parsePermissions } from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'
import { type FormEvent, useId, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { roleColor } from '../../core/servers/members.ts'
import { isEveryone } from '../../core/servers/roles.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { PermissionChecks } from '../../ui/permission-checks.tsx'
import { SaveBar, useSubmit } from '../../ui/settings-page.tsx'

const defaultColor = 0x3b82f6

interface RoleFormProps {
  role: Role
  /** The permissions of the user. A user cannot change any other (community/permission-hierarchy). */
  changeable: bigint
}

/** `added` and `removed` are permissions. */
interface Edited extends Partial<Pick<Role, 'name' | 'color'>> {
  added: bigint
  removed: bigint
}

/** The name, color and permissions of a role. @everyone cannot be renamed (community/everyone-role). */
export function RoleForm({ role, changeable }: RoleFormProps) {
  const t = useT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const isEveryoneRole = isEveryone(role)
  const initial = parsePermissions(role.permissions) ?? 0n
  // What is not edited shows changes by other users, and is not saved.
  const [edited, setEdited] = useState<Edited>({ added: 0n, removed: 0n })
  const { name, color } = { ...role, ...edited }
  const permissions = (initial | edited.added) & ~edited.removed
  const { busy, saved, problem, fieldProblems, submit } = useSubmit({
    name: { min: 1, max: maxRoleName },
  })
  const dirty = name !== role.name || color !== role.color || permissions !== initial
  const path = `/api/servers/${role.serverId}/roles/${role.id}`
  const refresh = () => queries.invalidateQueries({ queryKey: keys.roles(role.serverId) })
  function save(event: FormEvent) {
    event.preventDefault()
    const changes = {
      ...(name === role.name ? {} : { name }),
      ...(color === role.color ? {} : { color }),
      ...(permissions === initial ? {} : { permissions: formatPermissions(permissions) }),
    }
    void submit(async () => {
      await api.send('PATCH', path, changes)
      await refresh()
      setEdited({ added: 0n, removed: 0n })
    })
  }
  function setPermissions(next: bigint) {
    const [added, removed] = [next & ~permissions, permissions & ~next]
    setEdited({
      ...edited,
      added: (edited.added & ~removed) | added,
      removed: (edited.removed & ~added) | removed,
    })
  }
  const confirmDelete = () =>
    confirm({
      title: t('role.delete'),
      text: t('role.deleteConfirm', { name: role.name }),
      run: async () => {
        await api.send('DELETE', path)
        await refresh()
      },
    })
  return (
    <form className="stack" onSubmit={save}>
      {!isEveryoneRole && (
        <>
          <Field
            label={t('role.name')}
            value={name}
            onChange={text => setEdited({ ...edited, name: text })}
            required
            maxLength={maxRoleName}
            problem={fieldProblems.name}
          />
          <ColorField value={color} onChange={value => setEdited({ ...edited, color: value })} />
        </>
      )}
      <PermissionChecks
        label={t('settings.permissions')}
        value={permissions}
        changeable={changeable}
        onChange={setPermissions}
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
      {!isEveryoneRole && !role.managed && (
        <div className="line">
          <button type="button" className="button danger small" onClick={confirmDelete}>
            {t('role.delete')}
          </button>
        </div>
      )}
    </form>
  )
}

function ColorField({ value, onChange }: { value: number; onChange(value: number): void }) {
  const t = useT()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t('role.color')}</label>
      <div className="line">
        <input
          id={id}
          type="color"
          className="color"
          value={roleColor(value || defaultColor)}
          onChange={event => onChange(Number.parseInt(event.target.value.slice(1), 16) || 1)}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={value === 0}
            onChange={() => onChange(value === 0 ? defaultColor : 0)}
          />
          {t('role.noColor')}
        </label>
      </div>
    </div>
  )
}
