import type { Member, UserServer } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { useMembers, useServer } from '../../core/api/queries.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { memberName } from '../../core/servers/members.ts'
import { searchMembers } from '../../core/servers/search-members.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { useIsFuture } from '../../core/servers/use-is-future.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { LoadMoreMembers } from '../../ui/load-more-members.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { UserName, userText } from '../../ui/user-name.tsx'
import { MemberRoles, useMemberActions } from '../servers/index.ts'

const maxShown = 50

/** The members of a server, with their roles and buttons to time out, remove and ban them. */
export function ServerMembers({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { data, error } = useMembers(server.id)
  const { members, more } = useAllMembers(server.id, [])
  const [query, setQuery] = useState('')
  const matches = searchMembers(members, query)
  return (
    <Panel>
      <Field
        label={t('member.find')}
        value={query}
        onChange={setQuery}
        type="search"
        spellCheck={false}
        hint={data && t('member.count', { count: matches.length })}
      />
      <ErrorText error={error} />
      <LoadMoreMembers more={more} />
      {!data && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows">
        {matches.slice(0, maxShown).map(member => (
          <MemberRow key={member.user.id} server={server} member={member} />
        ))}
      </ul>
      {matches.length > maxShown && (
        <p className="hint">{t('member.more', { count: matches.length - maxShown })}</p>
      )}
    </Panel>
  )
}

function MemberRow({ server, member }: { server: UserServer; member: Member }) {
  const { t, dates } = useSettingsI18n()
  const { data: details } = useServer(server.id)
  const { user } = member
  const name = memberName(member)
  const isOwner = user.id === details?.ownerId
  const { actions, dialog } = useMemberActions({ server, user, nick: name, member })
  const until = member.timedOutUntil
  const isTimedOut = useIsFuture(until)
  return (
    <li className="row-card">
      <Avatar src={user.avatar} name={name} size={40} />
      <div className="grow">
        <UserName user={user} name={name} /> {isOwner && <span className="badge">{t('member.owner')}</span>}{' '}
        {user.bot && <span className="badge">{t('chat.bot')}</span>}
        <p className="hint">{t('member.since', { date: dates.day(member.joinedAt) })}</p>
        {isTimedOut && until !== null && (
          <p className="hint">{t('member.timedOutUntil', { date: dates.full(until) })}</p>
        )}
        <div className="stack-tight">
          <MemberRoles serverId={server.id} member={member} />
        </div>
      </div>
      <div className="line">
        {actions.map(({ kind, run }) => (
          <button
            key={kind}
            type="button"
            className="button secondary small"
            aria-label={`${t(`member.short.${kind}`)}: ${userText(user, name)}`}
            onClick={run}
          >
            {t(`member.short.${kind}`)}
          </button>
        ))}
      </div>
      {dialog}
    </li>
  )
}
