import { isEveryone, sortRoles } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'

interface RoleChecksProps {
  label: string
  /** All roles of the server. */
  roles: readonly Role[]
  saved: readonly string[]
  selected: readonly string[]
  onToggle(id: string): void
}

/** Checkboxes for the roles that members can get. A deleted role stays selected until the user deselects it. */
export function RoleChecks({ label, roles, saved, selected, onToggle }: RoleChecksProps) {
  const t = useSettingsT()
  const offered = sortRoles(roles).filter(role => !isEveryone(role) && !role.managed)
  // Those of `saved` too, because a checkbox that disappears loses the focus.
  const deleted = [...new Set([...saved, ...selected])].filter(id => !roles.some(role => role.id === id))
  const options = [
    ...offered.map(({ id, name }) => ({ id, text: <span className="ellipsis">{name}</span> })),
    ...deleted.map(id => ({ id, text: <span className="problem">{t('binding.deletedRole', { id })}</span> })),
  ]
  if (options.length === 0) return <p className="hint">{t('binding.noRoles')}</p>
  return (
    <fieldset className="checks fieldset">
      <legend className="hint">{label}</legend>
      {options.map(({ id, text }) => (
        <label key={id} className="check">
          <input type="checkbox" checked={selected.includes(id)} onChange={() => onToggle(id)} />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
