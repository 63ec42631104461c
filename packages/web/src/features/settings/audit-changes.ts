import type { AuditChange, AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { permissionNames, readPermissions } from '@gatehouse/protocol/permissions'
import { verificationLevels } from '@gatehouse/protocol/servers'
import { useChannels, useMembers, useRoles } from '../../core/api/queries.ts'
import { type SettingsI18n, useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { memberName, roleColor } from '../../core/servers/members.ts'
import { userText } from '../../ui/user-name.tsx'

/** What the entries of a server and of the instance can change, with a text. */
const knownKeys = [
  'name',
  'icon',
  'topic',
  'position',
  'permissions',
  'color',
  'roles',
  'timedOutUntil',
  'reason',
  'deleteMessageSeconds',
  'maxUses',
  'uses',
  'createdAt',
  'expiresAt',
  'creatorId',
  'channelId',
  'avatar',
  'token',
  'createdBy',
  'ownerId',
  'owner',
  'invitesPaused',
  'verificationLevel',
  'parentId',
  'slowMode',
  'permissionOverwrites',
  'overrides',
  'scopes',
  'logo',
  'registration',
  'serverCreation',
] as const

/** The names of what a server has by id. What was deleted is shown by its id. */
function useNames(serverId: string | null): (id: string) => string {
  const { data: channels = [] } = useChannels(serverId)
  const { data: members = [] } = useMembers(serverId)
  const { data: roles = [] } = useRoles(serverId)
  const names = new Map([
    ...channels.map(({ id, name, type }) => [id, type === 'category' ? `${name}` : `#${name}`] as const),
    ...members.map(member => [member.user.id, userText(member.user, memberName(member))] as const),
    ...roles.map(({ id, name }) => [id, name] as const),
  ])
  return id => names.get(id) ?? id
}

/** A text for each change of an entry: what it was before and is after. */
export function useChangeTexts(serverId: string | null, { action, changes }: AuditLogEntry): string[] {
  const i18n = useSettingsI18n()
  const nameOf = useNames(serverId)
  return (
    changes
      // The author of a deleted message is the target, and the act says the state of a report.
      .filter(({ key }) => key !== 'authorId' && !action.startsWith('REPORT_'))
      // What a deleted object had is not a change.
      .map(change =>
        action.endsWith('_DELETE') ? { ...change, before: null, after: change.before } : change,
      )
      .map(change => describe(change, i18n, nameOf))
  )
}

function describe(
  { key, before, after }: AuditChange,
  i18n: SettingsI18n,
  nameOf: (id: string) => string,
): string {
  const { t } = i18n
  const known = knownKeys.find(each => each === key)
  const label = known ? t(`audit.key.${known}`) : key
  const [from, to] = [before, after].map(json =>
    json === null ? '' : format(key, JSON.parse(json), i18n, nameOf),
  )
  // The values of secrets and images are not in the log, or say nothing.
  if (known === 'token' || known === 'icon' || known === 'avatar' || known === 'logo') return label
  if (!from) return t('audit.set', { label, value: to ?? '' })
  return to ? t('audit.changed', { label, from, to }) : t('audit.unset', { label, value: from })
}

// The values are those of the API, of this version or a newer one.
function format(key: string, value: unknown, i18n: SettingsI18n, nameOf: (id: string) => string): string {
  const { t, dates } = i18n
  const listNames = (bits: unknown) =>
    permissionNames(readPermissions(String(bits)))
      .map(name => t(`permission.${name}`))
      .join(', ') || t('audit.nothing')
  const bits = (value ?? {}) as { name?: string; id?: string; allow?: unknown; deny?: unknown }
  switch (key) {
    case 'permissions':
      return listNames(value)
    case 'permissionOverwrites':
      return t('audit.overwrite', {
        name: bits.name ?? nameOf(bits.id ?? ''),
        allow: listNames(bits.allow),
        deny: listNames(bits.deny),
      })
    case 'overrides':
      return (value as { id: string; allow: boolean }[])
        .map(({ id, allow }) => `${nameOf(id)}: ${t(allow ? 'overwrite.allow' : 'overwrite.deny')}`)
        .join(', ')
    case 'roles':
      return (value as { name: string }[]).map(({ name }) => name).join(', ')
    case 'owner':
      return (value as { name: string }).name
    case 'color':
      return value === 0 ? t('role.noColor') : (roleColor(Number(value)) ?? '')
    case 'timedOutUntil':
    case 'createdAt':
    case 'expiresAt':
      return dates.full(String(value))
    case 'invitesPaused':
      return t(value === true ? 'audit.on' : 'audit.off')
    case 'verificationLevel': {
      const level = verificationLevels.find(each => each === value)
      return level ? t(`server.verification.${level}`) : String(value)
    }
    case 'slowMode':
      return value === 0 ? t('channel.slowModeOff') : dates.duration(Number(value))
    case 'deleteMessageSeconds':
      return dates.duration(Number(value))
    case 'channelId':
    case 'parentId':
    case 'creatorId':
    case 'createdBy':
    case 'ownerId':
      return nameOf(String(value))
    default:
      return Array.isArray(value) ? value.join(', ') : String(value)
  }
}
