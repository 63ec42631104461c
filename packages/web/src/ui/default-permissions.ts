import { permissionNames, readPermissions } from '@gatehouse/protocol/permissions'
import type { SettingsTranslate } from '../core/i18n/settings-i18n.tsx'

/** Who may use a command on a server without overrides of it (bots/default-permissions). */
export function describeDefaultPermissions(permissions: string | null, t: SettingsTranslate): string {
  if (permissions === null) return t('commandAccess.everyone')
  if (permissions === '0') return t('commandAccess.administrators')
  const names = permissionNames(readPermissions(permissions)).map(name => t(`permission.${name}`))
  return t('commandAccess.needed', { permissions: names.join(', ') })
}
