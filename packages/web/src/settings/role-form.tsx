import { maxRoleName } from '@gatehouse/protocol/limits'
import { formatPermissions, parsePermissions } from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { roleColor } from '../servers/members.ts'
import { isEveryone } from '../servers/roles.ts'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { PermissionChecks } from './permission-checks.tsx'
import { SaveBar, useSubmit } from './settings-page.tsx'

const firstColor = 0x3b82f6

interface RoleFormProps {
  role: Role
  /** The permissions that one holds: nobody gives or takes others (D64). */
  changeable: bigint
}

/** Name, colour and permissions of a role. @everyone keeps its name (D58). */
export function RoleForm({ role, changeable }: RoleFormProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const everyone = isEveryone(role)
  const before = parsePermissions(role.permissions) ?? 0n
  const [name, setName] = useState(role.name)
  const [color, setColor] = useState(role.color)
  const [permissions, setPermissions] = useState(before)
  const { busy, saved, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    name: { min: 1, max: maxRoleName },
  })
  const dirty = name !== role.name || color !== role.color || permissions !== before
  const path = `/api/servers/${role.serverId}/roles/${role.id}`
  const again = () => queries.invalidateQueries({ queryKey: keys.roles(role.serverId) })
  function save(event: FormEvent) {
    event.preventDefault()
    const changes = {
      ...(name === role.name ? {} : { name }),
      ...(color === role.color ? {} : { color }),
      ...(permissions === before ? {} : { permissions: formatPermissions(permissions) }),
    }
    void submit(async () => {
      await api.send('PATCH', path, changes)
      await again()
    })
  }
  const ask = () =>
    confirm({
      title: t('role.delete'),
      text: t('role.deleteConfirm', { name: role.name }),
      action: t('role.delete'),
      run: async () => {
        await api.send('DELETE', path)
        await again()
      },
    })
  return (
    <form className="stack" onSubmit={save}>
      {!everyone && (
        <>
          <Field
            label={t('role.name')}
            value={name}
            onChange={setName}
            required
            maxLength={maxRoleName}
            autoComplete="off"
            problem={at.name}
          />
          <ColorField value={color} onChange={setColor} />
        </>
      )}
      <PermissionChecks
        label={t('role.permissions')}
        value={permissions}
        changeable={changeable}
        onChange={setPermissions}
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
      {!everyone && !role.managed && (
        <div className="line">
          <button type="button" className="button bad small" onClick={ask}>
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
          value={roleColor(value || firstColor)}
          onChange={event => onChange(Number.parseInt(event.target.value.slice(1), 16) || 1)}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={value === 0}
            onChange={() => onChange(value === 0 ? firstColor : 0)}
          />
          {t('role.noColor')}
        </label>
      </div>
    </div>
  )
}
