import type { Member } from '@gatehouse/protocol/servers'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Suspense, useMemo, useRef, useState } from 'react'
import { useMembers, useRoles, useServer } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { memberRows } from './member-rows.ts'
import { colorOf, nameOf } from './members.ts'
import './member-list.css'

const loadCard = () => import('./member-card.tsx').then(part => part.MemberCard)
const MemberCard = lazyPart(loadCard)
// What does not come ahead is asked for again where it is needed.
const loadAhead = () => void loadCard().catch(() => undefined)

const heights = { head: 34, member: 44 } as const

/** Who is on the server: people first, then bots, each by name. Only those near the view are in the document. */
export function MemberList({ serverId }: { serverId: string }) {
  const t = useT()
  const { data: members } = useMembers(serverId)
  const { data: roles } = useRoles(serverId)
  const { data: server } = useServer(serverId)
  const scroller = useRef<HTMLElement>(null)
  const rows = useMemo(() => memberRows(members ?? []), [members])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => heights[rows[index]?.kind ?? 'member'],
    getItemKey: index => rows[index]?.key ?? index,
    overscan: 10,
    paddingStart: 8,
    paddingEnd: 12,
  })
  return (
    <aside ref={scroller} className="members" aria-label={t('nav.members')}>
      {!members &&
        [60, 45, 70, 50].map(width => (
          <span key={width} className="skeleton nav-ghost" style={{ inlineSize: `${width}%` }} />
        ))}
      <ul className="members-list" style={{ blockSize: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]
          if (!row) return null
          const style = { transform: `translateY(${start}px)` }
          if (row.kind === 'head') {
            return (
              <li key={key} className="members-row" style={style}>
                <h2 className="nav-head">
                  {t(row.group === 'people' ? 'member.people' : 'member.bots')} — {row.count}
                </h2>
              </li>
            )
          }
          const { member } = row
          return (
            <li
              key={key}
              className="members-row"
              style={style}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              <MemberButton
                serverId={serverId}
                member={member}
                color={colorOf(member, roles)}
                owner={member.user.id === server?.ownerId}
              />
            </li>
          )
        })}
      </ul>
    </aside>
  )
}

interface MemberButtonProps {
  serverId: string
  member: Member
  color: string | undefined
  owner: boolean
}

function MemberButton({ serverId, member, color, owner }: MemberButtonProps) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const { user } = member
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="member"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={loadAhead}
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
    </>
  )
}
