import { maxRoleName } from '@gatehouse/protocol/limits'
import {
  allPermissions,
  formatPermissions,
  has,
  Permission,
  permissionNames,
  readPermissions,
} from '@gatehouse/protocol/permissions'
import { isEveryone } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'
import { useId } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { roleColor } from '../../core/servers/members.ts'
import { Field } from '../../ui/field.tsx'
import { PermissionChecks } from '../../ui/permission-checks.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEdits } from '../../ui/use-edits.ts'
import { useEditForm } from '../../ui/use-submit.ts'

const defaultColor = 0x3b82f6

interface RoleFormProps {
  role: Role
  /** The permissions of the user. A user cannot change any other (community/permission-hierarchy). */
  changeable: bigint
}

/** The name, color and permissions of a role. @everyone cannot be renamed (community/everyone-role). */
export function RoleForm({ role, changeable }: RoleFormProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const isEveryoneRole = isEveryone(role)
  const initial = readPermissions(role.permissions)
  const form = useEditForm({ name: role.name, color: role.color }, { name: { min: 1, max: maxRoleName } })
  const grants = useEdits(
    Object.fromEntries(permissionNames(allPermissions).map(name => [name, has(initial, Permission[name])])),
  )
  const permissions = permissionNames(allPermissions)
    .filter(name => name in grants.changes)
    .reduce((set, name) => set ^ Permission[name], initial)
  const place = { id: role.serverId, roleId: role.id }
  const refresh = () => queries.invalidateQueries({ queryKey: keys.roles(role.serverId) })
  async function save() {
    const changes = {
      ...form.changes,
      ...(grants.dirty ? { permissions: formatPermissions(permissions) } : {}),
    }
    await api.call('updateRole', { ...place, body: changes })
    await refresh()
    grants.dropSubmitted()
  }
  const confirmDelete = () =>
    confirm({
      title: t('role.delete'),
      text: t('role.deleteConfirm', { name: role.name }),
      run: async () => {
        await api.call('deleteRole', place)
        await refresh()
      },
    })
  return (
    <SettingsForm
      form={form}
      dirty={form.dirty || grants.dirty}
      onSave={save}
      actions={
        !isEveryoneRole &&
        !role.managed && (
          <div className="line">
            <button type="button" className="button danger small" onClick={confirmDelete}>
              {t('role.delete')}
            </button>
          </div>
        )
      }
    >
      {!isEveryoneRole && (
        <>
          <Field label={t('role.name')} {...form.field('name')} required />
          <ColorField value={form.fields.color} onChange={color => form.edit({ color })} />
        </>
      )}
      <PermissionChecks
        label={t('settings.permissions')}
        value={permissions}
        changeable={changeable}
        onToggle={name => grants.edit({ [name]: !grants.fields[name] })}
      />
    </SettingsForm>
  )
}

function ColorField({ value, onChange }: { value: number; onChange(value: number): void }) {
  const t = useSettingsT()
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
