import type { Member } from '@gatehouse/protocol/servers'
import { Suspense, useRef, useState } from 'react'
import { useMembers, useRoles, useServer } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { lazyPart } from '../ui/lazy-part.ts'
import { colorOf, nameOf } from './members.ts'
import './member-list.css'

const loadCard = () => import('./member-card.tsx').then(part => part.MemberCard)
const MemberCard = lazyPart(loadCard)

/** Who is on the server: people first, then bots, each by name. */
export function MemberList({ serverId }: { serverId: string }) {
  const t = useT()
  const { data: members } = useMembers(serverId)
  const { data: roles } = useRoles(serverId)
  const { data: server } = useServer(serverId)
  const inOrder = members && [...members].sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
  const groups = [
    { title: t('member.people'), list: inOrder?.filter(({ user }) => !user.bot) ?? [] },
    { title: t('member.bots'), list: inOrder?.filter(({ user }) => user.bot) ?? [] },
  ]
  return (
    <div className="members-list">
      {!members &&
        [60, 45, 70, 50].map(width => (
          <span key={width} className="skeleton nav-ghost" style={{ inlineSize: `${width}%` }} />
        ))}
      {groups
        .filter(({ list }) => list.length > 0)
        .map(({ title, list }) => (
          <section key={title} aria-label={title}>
            <h3 className="nav-head">
              {title} — {list.length}
            </h3>
            <ul>
              {list.map(member => (
                <MemberRow
                  key={member.user.id}
                  serverId={serverId}
                  member={member}
                  color={colorOf(member, roles)}
                  owner={member.user.id === server?.ownerId}
                />
              ))}
            </ul>
          </section>
        ))}
    </div>
  )
}

interface MemberRowProps {
  serverId: string
  member: Member
  color: string | undefined
  owner: boolean
}

function MemberRow({ serverId, member, color, owner }: MemberRowProps) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const { user } = member
  return (
    <li>
      <button
        ref={trigger}
        type="button"
        className="member"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={loadCard}
        onClick={() => setOpen(true)}
      >
        <Avatar src={user.avatar} name={user.displayName} size={32} />
        <span className="ellipsis grow" style={color ? { color } : undefined}>
          {nameOf(member)}
        </span>
        {user.bot && <span className="badge">{t('chat.bot')}</span>}
        {owner && <span className="badge">{t('member.owner')}</span>}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MemberCard user={user} serverId={serverId} trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </li>
  )
}
