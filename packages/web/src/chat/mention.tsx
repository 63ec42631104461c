import { Suspense, useRef, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useChannel } from './channel-context.ts'

const MemberCard = lazyPart(() => import('../servers/member-card.tsx').then(part => part.MemberCard))

/** Somebody or something that a message names. */
export function Mention({ kind, id }: { kind: 'user' | 'role' | 'channel'; id: string }) {
  const t = useT()
  const { nameOf, roles, channels, channel, self } = useChannel()
  if (kind === 'user')
    return <UserMention id={id} name={nameOf(id) ?? t('chat.unknownUser')} self={id === self.id} />
  if (kind === 'role') {
    const role = roles.find(other => other.id === id)
    const name = id === channel.serverId ? 'everyone' : (role?.name ?? t('chat.unknownUser'))
    return <span className="mention">@{name.replace(/^@/, '')}</span>
  }
  const other = channels.find(({ id: known }) => known === id)
  return other ? (
    <a className="mention" href={`/channels/${other.serverId}/${other.id}`}>
      #{other.name}
    </a>
  ) : (
    <span className="mention">#{t('chat.unknownUser')}</span>
  )
}

function UserMention({ id, name, self }: { id: string; name: string; self: boolean }) {
  const { member, channel } = useChannel()
  const user = member(id)?.user
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const className = self ? 'mention self' : 'mention'
  if (!user) return <span className={className}>@{name}</span>
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        @{name}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MemberCard
            user={user}
            serverId={channel.serverId}
            trigger={trigger}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
