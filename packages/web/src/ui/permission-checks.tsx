import { Permission, type PermissionName } from '@gatehouse/protocol/permissions'
import { useId } from 'react'
import { useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { groupPermissions } from './permission-groups.ts'

interface PermissionChecksProps {
  label: string
  value: bigint
  /** The permissions that the user can change; the others are disabled. */
  changeable?: bigint
  onToggle(name: PermissionName): void
}

/** Checkboxes for a permission set, in groups, each with what it allows. */
export function PermissionChecks({ label, value, changeable, onToggle }: PermissionChecksProps) {
  const t = useSettingsT()
  const id = useId()
  return (
    <fieldset className="fieldset stack">
      <legend className="hint">{label}</legend>
      {groupPermissions().map(({ group, names }) => (
        <fieldset key={group} className="fieldset checks">
          <legend>
            <strong>{t(`permissionGroup.${group}`)}</strong>
          </legend>
          {names.map(name => (
            <div key={name}>
              <label className="check">
                <input
                  type="checkbox"
                  aria-describedby={`${id}-${name}`}
                  checked={(value & Permission[name]) !== 0n}
                  disabled={changeable !== undefined && (changeable & Permission[name]) === 0n}
                  onChange={() => onToggle(name)}
                />
                {t(`permission.${name}`)}
              </label>
              <p id={`${id}-${name}`} className="hint">
                {t(`permissionHint.${name}`)}
              </p>
            </div>
          ))}
        </fieldset>
      ))}
    </fieldset>
  )
}
