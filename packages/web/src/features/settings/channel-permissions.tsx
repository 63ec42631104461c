import type { Channel, Overwrite } from '@gatehouse/protocol/channels'
import { Permission, permissionFor, permissionNames, readPermissions } from '@gatehouse/protocol/permissions'
import { sortRoles } from '@gatehouse/protocol/role-order'
import type { Member, Role } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useRoles, useSelf, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { isCategory } from '../../core/servers/channel-order.ts'
import { memberName, roleColor } from '../../core/servers/members.ts'
import { hasServerPermission, ownChannelPermissions } from '../../core/servers/permissions.ts'
import { useRoleAccess } from '../../core/servers/role-access.ts'
import { searchMembers } from '../../core/servers/search-members.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { AddTarget } from '../../ui/add-target.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EditToggle } from '../../ui/edit-toggle.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { userText } from '../../ui/user-name.tsx'
import { OverwriteForm, type OverwriteTarget } from './overwrite-form.tsx'

/** The permission overwrites of a channel, for @everyone, roles and members. */
export function ChannelPermissions({ channel }: { channel: Channel }) {
  const t = useSettingsT()
  const serverId = channel.serverId ?? ''
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: roles = [] } = useRoles(serverId)
  const overwrites = channel.permissionOverwrites
  const memberIds = overwrites.filter(({ type }) => type === 'member').map(({ id }) => id)
  const { members, more } = useAllMembers(serverId, [self.id, ...memberIds])
  const [addedTarget, setAddedTarget] = useState<OverwriteTarget>()
  const { leave } = useUnsaved()
  const [openId, setOpenId] = useState<string>()
  const { canManage } = useRoleAccess(serverId)
  const ownRoles = members.find(({ user }) => user.id === self.id)?.roles ?? []
  const granted = ownChannelPermissions(channel, {
    permissions: server?.permissions ?? '0',
    userId: self.id,
    roles: ownRoles,
  })
  // Overwrites do not restrict the owner and administrators.
  const changeable = hasServerPermission(server, Permission.ADMINISTRATOR) ? ~0n : granted
  const targets: OverwriteTarget[] = [
    { id: serverId, type: 'role' },
    ...overwrites.filter(({ id }) => id !== serverId).map(({ id, type }) => ({ id, type })),
  ]
  if (addedTarget && !targets.some(({ id }) => id === addedTarget.id)) targets.push(addedTarget)
  const available = {
    roles: sortRoles(roles).filter(role => !targets.some(({ id }) => id === role.id)),
    members: searchMembers(members, '')
      .map(member => ({ id: member.user.id, name: memberName(member), detail: `@${member.user.username}` }))
      .filter(member => !targets.some(({ id }) => id === member.id)),
  }
  return (
    <Panel hint={t(isCategory(channel) ? 'category.permissionsHint' : 'overwrite.hint')}>
      <CategorySync channel={channel} canMove={hasServerPermission(server, permissionFor.manageChannels)} />
      <AddTarget
        label={t('overwrite.for')}
        groups={[
          { label: t('member.roles'), options: available.roles },
          { label: t('nav.members'), options: available.members },
        ]}
        more={more}
        onAdd={id =>
          leave(() => {
            setAddedTarget({ id, type: roles.some(role => role.id === id) ? 'role' : 'member' })
            setOpenId(id)
          })
        }
      />
      <ul className="rows">
        {targets.map(target => {
          const overwrite = overwrites.find(({ id }) => id === target.id)
          const isOpen = openId === target.id
          const { name, icon } = describeTarget(target, roles, members, t('chat.unknownUser'))
          return (
            <li key={target.id} className="row-card">
              {icon}
              <div className="grow">
                <strong>{name}</strong>
                <p className="hint">{summarize(overwrite)}</p>
              </div>
              <EditToggle
                name={name}
                open={isOpen}
                onToggle={() => leave(() => setOpenId(isOpen ? undefined : target.id))}
              />
              {isOpen && (
                <OverwriteForm
                  channel={channel}
                  target={target}
                  name={name}
                  overwrite={overwrite}
                  changeable={changeable}
                  above={isAbove(target)}
                  onRemoved={() => {
                    setAddedTarget(undefined)
                    setOpenId(undefined)
                  }}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )

  /** What the service checks too (community/permission-hierarchy). */
  function isAbove({ id, type }: OverwriteTarget): boolean {
    const ids = type === 'role' ? [id] : (members.find(({ user }) => user.id === id)?.roles ?? [])
    return roles.some(role => ids.includes(role.id) && !canManage(role))
  }

  function summarize(overwrite: Overwrite | undefined): string {
    const allowed = countBits(overwrite?.allow)
    const denied = countBits(overwrite?.deny)
    if (allowed + denied === 0) return t('overwrite.neutral')
    return t('overwrite.summary', { allowed, denied })
  }
}

/** Whether the channel has the overwrites of its category, and a button that gives it these. */
function CategorySync({ channel, canMove }: { channel: Channel; canMove: boolean }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const serverId = channel.serverId ?? ''
  const category = useChannels(serverId).data?.find(({ id }) => id === channel.parentId)
  if (!category) return null
  const name = category.name ?? ''
  if (listOverwrites(channel) === listOverwrites(category))
    return <p className="hint">{t('category.synced', { name })}</p>
  const confirmSync = () =>
    confirm({
      title: t('category.sync'),
      text: t('category.syncConfirm', { channel: channel.name ?? '', name }),
      run: async () => {
        await api.call('moveChannels', { id: serverId, body: [{ id: channel.id, lockPermissions: true }] })
        await queries.invalidateQueries({ queryKey: keys.channels(serverId) })
      },
    })
  return (
    <div className="line">
      <p className="hint grow">{t('category.notSynced', { name })}</p>
      {canMove && (
        <button type="button" className="button secondary small" onClick={confirmSync}>
          {t('category.sync')}
        </button>
      )}
    </div>
  )
}

function listOverwrites({ permissionOverwrites }: Channel): string {
  return permissionOverwrites
    .map(({ id, allow, deny }) => `${id} ${allow} ${deny}`)
    .sort()
    .join()
}

function countBits(permissions: string | undefined): number {
  return permissionNames(readPermissions(permissions ?? '0')).length
}

function describeTarget(
  { id, type }: OverwriteTarget,
  roles: readonly Role[],
  members: readonly Member[],
  unknown: string,
) {
  if (type === 'member') {
    const member = members.find(({ user }) => user.id === id)
    const shown = member ? memberName(member) : unknown
    const name = member ? userText(member.user, shown) : unknown
    return { name, icon: <Avatar src={member?.user.avatar ?? null} name={shown} size={28} /> }
  }
  const role = roles.find(other => other.id === id)
  const background = role?.color ? roleColor(role.color) : 'var(--text-quiet)'
  return { name: role?.name ?? unknown, icon: <span className="role-dot" style={{ background }} /> }
}
