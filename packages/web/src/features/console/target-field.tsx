import type { ContextCommandType } from '@gatehouse/protocol/commands'
import { cutText } from '@gatehouse/protocol/text'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { filterViewers } from '../../core/servers/permissions.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { ErrorText } from '../../ui/error-text.tsx'
import { LoadMoreMembers } from '../../ui/load-more-members.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { userText } from '../../ui/user-name.tsx'

interface TargetFieldProps {
  value: string | undefined
  onChange(id: string): void
}

/** The user or message for which a command in a menu is tried. The first one is selected. */
export function TargetField({ type, ...props }: TargetFieldProps & { type: ContextCommandType }) {
  return type === 'user' ? <UserField {...props} /> : <MessageField {...props} />
}

function UserField(props: TargetFieldProps) {
  const t = useSettingsT()
  const { channel, viewers = [], roles } = useChannelContext()
  const { members, more } = useAllMembers(channel.serverId, [])
  const ids = new Set(viewers.map(({ user }) => user.id))
  const unlisted = members.filter(member => !ids.has(member.user.id))
  const others = filterViewers(channel, unlisted, roles)
  const options = [...viewers, ...others].map(({ user, nick }) => ({
    value: user.id,
    text: userText(user, nick ?? user.displayName),
  }))
  return (
    <>
      <Choice {...props} label={t('try.user')} options={options} />
      <LoadMoreMembers more={more} />
    </>
  )
}

function MessageField(props: TargetFieldProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const { channel, nameOf } = useChannelContext()
  const { data: messages, error } = useQuery({
    queryKey: keys.latestMessages(channel.id),
    queryFn: ({ signal }) => api.call('listMessages', { id: channel.id, signal }),
    staleTime: 0,
  })
  const options = (messages ?? []).map(({ id, author, content, embeds }) => ({
    value: id,
    text: cutText(
      `${nameOf(author.id) ?? author.displayName}: ${content || (embeds[0]?.title ?? t('chat.embed'))}`,
      80,
    ),
  }))
  return (
    <>
      <Choice {...props} label={t('try.message')} options={options} />
      <ErrorText error={error} />
      {messages?.length === 0 && <p className="hint">{t('try.noMessages')}</p>}
    </>
  )
}

function Choice({
  label,
  options,
  value,
  onChange,
}: TargetFieldProps & { label: string; options: readonly { value: string; text: string }[] }) {
  const first = options[0]?.value
  useEffect(() => {
    if (value === undefined && first !== undefined) onChange(first)
  }, [value, first, onChange])
  return <SelectField label={label} value={value ?? ''} options={options} onChange={onChange} />
}
