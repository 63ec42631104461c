import type { CommandOverride, ServerCommand } from '@gatehouse/protocol/commands'
import type { UserServer } from '@gatehouse/protocol/servers'
import { type FormEvent, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useChannels, useRoles } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { memberName } from '../../core/servers/members.ts'
import { sortRoles } from '../../core/servers/roles.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { SaveBar, useSubmit } from '../../ui/settings-page.tsx'
import { AddTarget } from './add-target.tsx'
import { searchMembers } from './search-members.ts'
import { type Choice, TriState } from './tri-state.tsx'

type Target = Pick<CommandOverride, 'type' | 'id'>

/** Allows or denies a command for roles and members, and in channels. What is neither has no override. */
export function CommandOverridesForm({ server, command }: { server: UserServer; command: ServerCommand }) {
  const t = useT()
  const { api, queries } = useClient()
  const { data: roles = [] } = useRoles(server.id)
  const { data: channels = [] } = useChannels(server.id)
  const { busy, saved, problem, submit } = useSubmit()
  // What is not edited shows changes by other users.
  const [choices, setChoices] = useState<readonly (Target & { choice: Choice })[]>([])
  const edited = [
    ...command.overrides.filter(override => !isIn(choices, override)),
    ...choices.flatMap(({ type, id, choice }) =>
      choice === 'neutral' ? [] : { type, id, allow: choice === 'allow' },
    ),
  ]
  // Those without an override remain in the form until it is closed.
  const [shown, setShown] = useState<readonly Target[]>(() => [
    { type: 'role', id: server.id },
    { type: 'channel', id: server.id },
    ...command.overrides.filter(({ id }) => id !== server.id),
  ])
  const targets = [...shown, ...command.overrides.filter(override => !isIn(shown, override))]
  const userIds = targets.filter(({ type }) => type === 'user').map(({ id }) => id)
  const { members, more } = useAllMembers(server.id, userIds)
  const dirty =
    edited.length !== command.overrides.length ||
    edited.some(override => findOverride(command.overrides, override)?.allow !== override.allow)

  function choose(target: Target, choice: Choice) {
    setChoices([...choices.filter(other => !isSame(other, target)), { ...target, choice }])
  }
  function add(target: Target) {
    setShown([...shown, target])
    choose(target, 'allow')
  }
  function save(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      await api.send('PUT', `/api/servers/${server.id}/commands/${command.id}/permissions`, edited)
      await queries.invalidateQueries({ queryKey: keys.commandPermissions(server.id) })
      setChoices([])
    })
  }

  const names = {
    role: (id: string) => roles.find(role => role.id === id)?.name,
    user: (id: string) => {
      const member = members.find(({ user }) => user.id === id)
      return member && memberName(member)
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
            key={`${target.type} ${target.id}`}
            label={names[target.type](target.id) ?? unknown[target.type]}
            neutral={t('commandAccess.neutral')}
            value={choiceOf(findOverride(edited, target))}
            onChange={choice => choose(target, choice)}
          />
        ))}
    </div>
  )
  return (
    <form className="stack" onSubmit={save}>
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
              searchMembers(members, '').map(member => ({ id: member.user.id, name: memberName(member) })),
            ),
          },
        ]}
        more={more}
        onAdd={id => add({ type: roles.some(role => role.id === id) ? 'role' : 'user', id })}
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
              channels.map(({ id, name }) => ({ id, name: `#${name}` })),
            ),
          },
        ]}
        onAdd={id => add({ type: 'channel', id })}
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
    </form>
  )
}

function isSame(a: Target, b: Target): boolean {
  return a.type === b.type && a.id === b.id
}

function isIn(list: readonly Target[], target: Target): boolean {
  return list.some(other => isSame(other, target))
}

function findOverride(overrides: readonly CommandOverride[], target: Target): CommandOverride | undefined {
  return overrides.find(override => isSame(override, target))
}

function choiceOf(override: CommandOverride | undefined): Choice {
  if (override === undefined) return 'neutral'
  return override.allow ? 'allow' : 'deny'
}
