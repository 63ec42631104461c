import { type ButtonHTMLAttributes, Suspense, useRef, useState } from 'react'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import type { MemberCardProps } from './member-card.tsx'

const load = () => import('./member-card.tsx').then(part => part.MemberCard)
const MemberCard = lazyComponent(load)

/** If this fails, opening the card loads the chunk again. */
export const preloadMemberCard = () => void load().catch(() => undefined)

type MemberCardButtonProps = Pick<MemberCardProps, 'user' | 'serverId'> &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'onClick'>

/** A button that opens the profile of a user. */
export function MemberCardButton({ user, serverId, children, ...button }: MemberCardButtonProps) {
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        {...button}
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        {children}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MemberCard user={user} serverId={serverId} trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
