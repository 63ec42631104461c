import type { SettingScope } from '@gatehouse/protocol/applications'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'

interface ScopeChecksProps {
  label: string
  scopes: readonly SettingScope[]
  isSelected(scope: SettingScope): boolean
  onToggle(scope: SettingScope): void
  hint?: string | false
}

/** Checkboxes for scopes. */
export function ScopeChecks({ label, scopes, isSelected, onToggle, hint }: ScopeChecksProps) {
  const t = useSettingsT()
  return (
    <fieldset className="checks fieldset">
      <legend className="hint">{label}</legend>
      {scopes.map(scope => (
        <label key={scope} className="check">
          <input type="checkbox" checked={isSelected(scope)} onChange={() => onToggle(scope)} />
          <span>
            {t(`scope.${scope}`)} <code className="hint">{scope}</code>
          </span>
        </label>
      ))}
      {hint && <p className="hint">{hint}</p>}
    </fieldset>
  )
}
