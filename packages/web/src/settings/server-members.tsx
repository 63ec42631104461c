import { Permission } from '@gatehouse/protocol/permissions'
import type { Member, UserServer } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { problemText } from '../api/client.ts'
import { useMembers, useSelf, useServer } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { MemberRoles } from '../servers/member-roles.tsx'
import { nameOf } from '../servers/members.ts'
import { mayOnServer } from '../servers/permissions.ts'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { foundMembers } from './found-members.ts'
import { Panel } from './settings-page.tsx'

const most = 50

/** Who is on the server, their roles, and the way out. */
export function ServerMembers({ server }: { server: UserServer }) {
  const t = useT()
  const { data: members, error } = useMembers(server.id)
  const [wanted, setWanted] = useState('')
  const found = foundMembers(members ?? [], wanted)
  return (
    <Panel>
      <Field
        label={t('member.find')}
        value={wanted}
        onChange={setWanted}
        type="search"
        autoComplete="off"
        spellCheck={false}
        hint={members && t('member.found', { count: found.length })}
      />
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {!members && !error && <span className="skeleton row-ghost" />}
      <ul className="rows">
        {found.slice(0, most).map(member => (
          <MemberRow key={member.user.id} server={server} member={member} />
        ))}
      </ul>
      {found.length > most && <p className="hint">{t('member.more', { count: found.length - most })}</p>}
    </Panel>
  )
}

function MemberRow({ server, member }: { server: UserServer; member: Member }) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const self = useSelf()
  const confirm = useConfirm()
  const { data: whole } = useServer(server.id)
  const { user } = member
  const name = nameOf(member)
  const owner = user.id === whole?.ownerId
  const mayRemove = user.id !== self.id && !owner && mayOnServer(server, Permission.KICK_MEMBERS)
  const ask = () =>
    confirm({
      title: t('member.kick'),
      text: t('member.kickConfirm', { name }),
      action: t('member.kick'),
      run: () => api.send('DELETE', `/api/servers/${server.id}/members/${user.id}`),
    })
  return (
    <li className="row-card">
      <Avatar src={user.avatar} name={name} size={40} />
      <div className="grow">
        <strong>{name}</strong> {owner && <span className="badge">{t('member.owner')}</span>}{' '}
        {user.bot && <span className="badge">{t('chat.bot')}</span>}
        <p className="hint">
          {user.username} · {t('member.since', { date: dates.day(member.joinedAt) })}
        </p>
        <div className="stack-tight">
          <MemberRoles serverId={server.id} member={member} />
        </div>
      </div>
      {mayRemove && (
        <button
          type="button"
          className="button soft small"
          aria-label={`${t('action.remove')}: ${name}`}
          onClick={ask}
        >
          {t('action.remove')}
        </button>
      )}
    </li>
  )
}
