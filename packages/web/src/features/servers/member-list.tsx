import type { Member } from '@gatehouse/protocol/servers'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useMemo, useRef } from 'react'
import { useRoles, useServer } from '../../core/api/queries.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { memberColor, memberName } from '../../core/servers/members.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { findNextStop, useRovingFocus, withIndex } from '../../ui/roving-focus.ts'
import { MemberCardButton, preloadMemberCard } from './member-card-button.tsx'
import { buildMemberRows, type MemberRow } from './member-rows.ts'
import './member-list.css'

const heights = { heading: 34, member: 44 } as const

interface MemberListProps {
  serverId: string
  /** Undefined until they are loaded. */
  members: readonly Member[] | undefined
}

/** The members who can view the channel: users, then bots, sorted by name. The list is virtualized. */
export function MemberList({ serverId, members }: MemberListProps) {
  const t = useT()
  const { data: roles } = useRoles(serverId)
  const { data: server } = useServer(serverId)
  const scroller = useRef<HTMLElement>(null)
  const rows = useMemo(() => buildMemberRows(members ?? []), [members])
  const roving = useRovingFocus(rows, scroller, index => list.scrollToIndex(index))
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => heights[rows[index]?.kind ?? 'member'],
    getItemKey: index => rows[index]?.key ?? index,
    overscan: 10,
    // The row with the focus stays in the document.
    rangeExtractor: range => withIndex(defaultRangeExtractor(range), roving.focused),
    paddingStart: 8,
    paddingEnd: 12,
  })
  const firstMember = findNextStop(rows, (list.range?.startIndex ?? 0) - 1, 1, isMember)
  const current = roving.focused ?? firstMember
  function onKeyDown(event: KeyboardEvent) {
    const target = findKeyTarget(event.key, rows, roving.focused)
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    roving.focusRow(target)
  }
  return (
    <aside
      ref={scroller}
      className="members"
      aria-label={t('nav.members')}
      {...roving.props}
      onKeyDown={onKeyDown}
    >
      {!members &&
        [60, 45, 70, 50].map(width => (
          <span key={width} className="skeleton skeleton-nav-item" style={{ inlineSize: `${width}%` }} />
        ))}
      <ul className="members-list" style={{ blockSize: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]
          if (!row) return null
          const style = { transform: `translateY(${start}px)` }
          if (row.kind === 'heading') {
            return (
              <li key={key} className="members-row" style={style}>
                <h2 className="nav-heading">
                  {t(row.group === 'users' ? 'member.people' : 'member.bots')} — {row.count}
                </h2>
              </li>
            )
          }
          const { member, isAmbiguous } = row
          return (
            <li
              key={key}
              className="members-row"
              style={style}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              <MemberButton
                index={index}
                current={index === current}
                serverId={serverId}
                member={member}
                isAmbiguous={isAmbiguous}
                color={memberColor(member, roles)}
                owner={member.user.id === server?.ownerId}
              />
            </li>
          )
        })}
      </ul>
    </aside>
  )
}

const isMember = ({ kind }: MemberRow) => kind === 'member'

/** The index of the row that a key moves the focus to. */
function findKeyTarget(
  key: string,
  rows: readonly MemberRow[],
  from: number | undefined,
): number | undefined {
  if (from === undefined) return undefined
  if (key === 'ArrowUp') return findNextStop(rows, from, -1, isMember)
  if (key === 'ArrowDown') return findNextStop(rows, from, 1, isMember)
  if (key === 'Home') return findNextStop(rows, -1, 1, isMember)
  return key === 'End' ? findNextStop(rows, rows.length, -1, isMember) : undefined
}

interface MemberButtonProps {
  index: number
  /** Whether this is the tab stop of the list. */
  current: boolean
  serverId: string
  member: Member
  isAmbiguous: boolean
  color: string | undefined
  owner: boolean
}

function MemberButton({ index, current, serverId, member, isAmbiguous, color, owner }: MemberButtonProps) {
  const t = useT()
  const { user } = member
  return (
    <MemberCardButton
      user={user}
      serverId={serverId}
      className="member"
      data-index={index}
      tabIndex={current ? 0 : -1}
      onPointerEnter={preloadMemberCard}
    >
      <Avatar src={user.avatar} name={user.displayName} size={32} />
      <span className="names grow">
        <span className="ellipsis" style={color ? { color } : undefined}>
          {memberName(member)}
        </span>
        {isAmbiguous && <small className="ellipsis">@{user.username}</small>}
      </span>
      {user.bot && <span className="badge">{t('chat.bot')}</span>}
      {owner && <span className="badge">{t('member.owner')}</span>}
    </MemberCardButton>
  )
}
