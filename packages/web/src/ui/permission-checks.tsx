import {
  allPermissions,
  Permission,
  type PermissionName,
  permissionNames,
} from '@gatehouse/protocol/permissions'
import { useT } from '../core/i18n/i18n.tsx'

interface PermissionChecksProps {
  label: string
  value: bigint
  /** The permissions that the user can change; the others are disabled. */
  changeable?: bigint
  onToggle(name: PermissionName): void
}

/** Checkboxes for a permission set. */
export function PermissionChecks({ label, value, changeable, onToggle }: PermissionChecksProps) {
  const t = useT()
  return (
    <fieldset className="checks fieldset">
      <legend className="hint">{label}</legend>
      {permissionNames(allPermissions).map(name => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={(value & Permission[name]) !== 0n}
            disabled={changeable !== undefined && (changeable & Permission[name]) === 0n}
            onChange={() => onToggle(name)}
          />
          {t(`permission.${name}`)}
        </label>
      ))}
    </fieldset>
  )
}
