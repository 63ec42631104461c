import type { Channel, Overwrite } from '@gatehouse/protocol/channels'
import {
  formatPermissions,
  has,
  Permission,
  type PermissionName,
  readPermissions,
} from '@gatehouse/protocol/permissions'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { groupPermissions } from '../../ui/permission-groups.ts'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { type Choice, TriState } from './tri-state.tsx'

/** The role or member of an overwrite. The role @everyone has the id of the server (community/everyone-role). */
export type OverwriteTarget = Pick<Overwrite, 'id' | 'type'>

/** Whether a permission applies to a channel. The others apply only to the whole server. */
const appliesToChannel: Readonly<Record<PermissionName, boolean>> = {
  VIEW_CHANNEL: true,
  SEND_MESSAGES: true,
  EMBED_LINKS: true,
  MENTION_EVERYONE: true,
  USE_COMMANDS: true,
  MANAGE_MESSAGES: true,
  MANAGE_WEBHOOKS: true,
  MANAGE_CHANNELS: true,
  CREATE_INVITE: false,
  KICK_MEMBERS: false,
  BAN_MEMBERS: false,
  ADMINISTRATOR: false,
  MANAGE_SERVER: false,
  VIEW_AUDIT_LOG: false,
  MANAGE_ROLES: false,
  MODERATE_MEMBERS: false,
}
const overwriteGroups = groupPermissions(name => appliesToChannel[name])
const overwritePermissions = overwriteGroups.flatMap(({ names }) => names)

const lessThanAllowed = ['deny', 'neutral'] as const

interface OverwriteFormProps {
  channel: Channel
  target: OverwriteTarget
  name: string
  overwrite: Overwrite | undefined
  /** The permissions of the user in this channel. A user cannot change any other (community/permission-hierarchy). */
  changeable: bigint
  /** Whether the role or member is above the user, who can only allow it more. */
  above: boolean
  onRemoved(): void
}

/** Allows, denies or inherits each permission for one role or member. */
export function OverwriteForm({
  channel,
  target,
  name,
  overwrite,
  changeable,
  above,
  onRemoved,
}: OverwriteFormProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const initial = {
    allow: readPermissions(overwrite?.allow ?? '0'),
    deny: readPermissions(overwrite?.deny ?? '0'),
  }
  const form = useEditForm<Partial<Record<PermissionName, Choice>>>(
    Object.fromEntries(overwritePermissions.map(permission => [permission, choiceOf(initial, permission)])),
  )
  const place = { id: channel.id, targetId: target.id }
  const refresh = () => queries.invalidateQueries({ queryKey: keys.channels(channel.serverId ?? '') })
  async function save() {
    const { allow, deny } = overwritePermissions.reduce(
      (bits, permission) => applyChoice(bits, permission, form.changes[permission]),
      initial,
    )
    const body = { type: target.type, allow: formatPermissions(allow), deny: formatPermissions(deny) }
    await api.call('putOverwrite', { ...place, body })
    await refresh()
  }
  async function remove() {
    if (overwrite) await api.call('deleteOverwrite', place)
    await refresh()
    onRemoved()
  }
  return (
    <SettingsForm
      form={form}
      onSave={save}
      actions={
        <div className="line">
          <button
            type="button"
            className="button secondary small"
            disabled={form.busy || (above && (initial.allow | initial.deny) !== 0n)}
            aria-label={t('overwrite.removeOf', { name })}
            onClick={() => void form.submit(remove)}
          >
            {t('overwrite.remove')}
          </button>
        </div>
      }
    >
      {above && <p className="hint">{t('overwrite.above')}</p>}
      {overwriteGroups.map(({ group, names }) => (
        <div key={group} className="tri-state-list">
          <h2>{t(`permissionGroup.${group}`)}</h2>
          {names.map(permission => (
            <TriState
              key={permission}
              label={t(`permission.${permission}`)}
              hint={t(`permissionHint.${permission}`)}
              neutral={t('overwrite.neutral')}
              value={form.fields[permission] ?? 'neutral'}
              disabled={!has(changeable, Permission[permission])}
              refused={
                above ? lessThanAllowed.filter(choice => choice !== choiceOf(initial, permission)) : []
              }
              onChange={choice => form.edit({ [permission]: choice })}
            />
          ))}
        </div>
      ))}
    </SettingsForm>
  )
}

interface Bits {
  allow: bigint
  deny: bigint
}

function choiceOf({ allow, deny }: Bits, permission: PermissionName): Choice {
  const bit = Permission[permission]
  return has(allow, bit) ? 'allow' : has(deny, bit) ? 'deny' : 'neutral'
}

function applyChoice({ allow, deny }: Bits, permission: PermissionName, choice: Choice | undefined): Bits {
  if (choice === undefined) return { allow, deny }
  const bit = Permission[permission]
  return {
    allow: choice === 'allow' ? allow | bit : allow & ~bit,
    deny: choice === 'deny' ? deny | bit : deny & ~bit,
  }
}
