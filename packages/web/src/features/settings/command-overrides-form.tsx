import type { CommandOverride, ServerCommand } from '@gatehouse/protocol/commands'
import { sortRoles } from '@gatehouse/protocol/role-order'
import type { UserServer } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useRoles } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { textChannels } from '../../core/servers/channel-order.ts'
import { memberName } from '../../core/servers/members.ts'
import { searchMembers } from '../../core/servers/search-members.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { AddTarget } from '../../ui/add-target.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'
import { type Choice, TriState } from './tri-state.tsx'

type Target = Pick<CommandOverride, 'type' | 'id'>

/** Allows or denies a command for roles and members, and in channels. What is neither has no override. */
export function CommandOverridesForm({ server, command }: { server: UserServer; command: ServerCommand }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { data: roles = [] } = useRoles(server.id)
  const { data: channels = [] } = useChannels(server.id)
  // Those without an override remain in the form until it is closed.
  const [shown, setShown] = useState<readonly Target[]>(() => [
    { type: 'role', id: server.id },
    { type: 'channel', id: server.id },
    ...command.overrides.filter(({ id }) => id !== server.id),
  ])
  const targets = [...shown, ...command.overrides.filter(override => !isIn(shown, override))]
  const userIds = targets.filter(({ type }) => type === 'user').map(({ id }) => id)
  const { members, more } = useAllMembers(server.id, userIds)
  const form = useEditForm<Partial<Record<string, Choice>>>(
    Object.fromEntries(targets.map(target => [keyOf(target), choiceOf(command.overrides, target)])),
  )

  function choose(target: Target, choice: Choice) {
    if (!isIn(shown, target)) setShown([...shown, target])
    form.edit({ [keyOf(target)]: choice })
  }
  async function save() {
    const overrides = targets.flatMap(({ type, id }) => {
      const choice = form.fields[keyOf({ type, id })]
      return choice === 'neutral' ? [] : { type, id, allow: choice === 'allow' }
    })
    await api.call('replaceServerCommandPermissions', {
      id: server.id,
      commandId: command.id,
      body: overrides,
    })
    await queries.invalidateQueries({ queryKey: keys.commandPermissions(server.id) })
  }

  const names = {
    role: (id: string) => roles.find(role => role.id === id)?.name,
    user: (id: string) => {
      const member = members.find(({ user }) => user.id === id)
      return member && userText(member.user, memberName(member))
    },
    channel: (id: string) => {
      const channel = channels.find(other => other.id === id)
      return id === server.id ? t('commandAccess.allChannels') : channel && `#${channel.name}`
    },
  }
  const unknown = {
    role: t('chat.unknownUser'),
    user: t('chat.unknownUser'),
    channel: t('commandAccess.hiddenChannel'),
  }
  const available = (type: Target['type'], all: readonly { id: string; name: string }[]) =>
    all.filter(({ id }) => !isIn(targets, { type, id }))
  const list = (types: readonly Target['type'][]) => (
    <div className="tri-state-list">
      {targets
        .filter(({ type }) => types.includes(type))
        .map(target => (
          <TriState
            key={keyOf(target)}
            label={names[target.type](target.id) ?? unknown[target.type]}
            neutral={t('commandAccess.neutral')}
            value={form.fields[keyOf(target)] ?? 'neutral'}
            onChange={choice => choose(target, choice)}
          />
        ))}
    </div>
  )
  return (
    <SettingsForm form={form} onSave={save}>
      <h2>{t('commandAccess.members')}</h2>
      {list(['role', 'user'])}
      <AddTarget
        label={t('overwrite.for')}
        groups={[
          { label: t('member.roles'), options: available('role', sortRoles(roles)) },
          {
            label: t('nav.members'),
            options: available(
              'user',
              searchMembers(members, '').map(member => ({
                id: member.user.id,
                name: memberName(member),
                detail: `@${member.user.username}`,
              })),
            ),
          },
        ]}
        more={more}
        onAdd={id => choose({ type: roles.some(role => role.id === id) ? 'role' : 'user', id }, 'allow')}
      />
      <h2>{t('nav.channels')}</h2>
      {list(['channel'])}
      <AddTarget
        label={t('commandAccess.channel')}
        groups={[
          {
            label: t('nav.channels'),
            options: available(
              'channel',
              textChannels(channels).map(({ id, name }) => ({ id, name: `#${name}` })),
            ),
          },
        ]}
        onAdd={id => choose({ type: 'channel', id }, 'allow')}
      />
    </SettingsForm>
  )
}

function keyOf({ type, id }: Target): string {
  return `${type} ${id}`
}

function isIn(list: readonly Target[], target: Target): boolean {
  return list.some(other => keyOf(other) === keyOf(target))
}

function choiceOf(overrides: readonly CommandOverride[], target: Target): Choice {
  const override = overrides.find(other => keyOf(other) === keyOf(target))
  if (override === undefined) return 'neutral'
  return override.allow ? 'allow' : 'deny'
}
