import { permissionFor } from '@gatehouse/protocol/permissions'
import type { Member, UserServer } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import { type ReactNode, Suspense, useState } from 'react'
import { useSelf, useServer } from '../../core/api/queries.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { hasServerPermission } from '../../core/servers/permissions.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { userText } from '../../ui/user-name.tsx'

const BanDialog = lazyComponent(() => import('./ban-dialog.tsx').then(part => part.BanDialog))
const KickDialog = lazyComponent(() => import('./kick-dialog.tsx').then(part => part.KickDialog))
const TimeoutDialog = lazyComponent(() => import('./timeout-dialog.tsx').then(part => part.TimeoutDialog))

interface MemberAction {
  kind: 'timeout' | 'kick' | 'ban'
  label: string
  run(): void
}

interface ActionsProps {
  server: UserServer | undefined
  user: Pick<User, 'id' | 'username' | 'displayName'>
  /** The name that is shown instead of the display name. */
  nick?: string
  /** Undefined for a user who is not a member and can only be banned. */
  member: Member | undefined
  /** The dialog was closed. */
  onClose?: () => void
  /** An act succeeded. */
  onDone?: () => void
}

/** What the user may do with a member: remove, time out and ban. `dialog` is the open one. */
export function useMemberActions({ server, user, nick, member, onClose, onDone }: ActionsProps): {
  actions: MemberAction[]
  dialog: ReactNode
} {
  const t = useT()
  const name = userText(user, nick)
  const self = useSelf()
  const { data: details } = useServer(server?.id ?? null)
  const [open, setOpen] = useState<MemberAction['kind']>()
  const isOther = user.id !== self.id && user.id !== details?.ownerId
  const may = (bit: bigint) => isOther && hasServerPermission(server, bit)
  const actions: MemberAction[] = []
  const add = (kind: MemberAction['kind']) =>
    actions.push({ kind, label: t(`member.${kind}`), run: () => setOpen(kind) })
  if (member && may(permissionFor.timeOutMember)) {
    add('timeout')
  }
  if (member && may(permissionFor.kickMember)) {
    add('kick')
  }
  if (may(permissionFor.manageBans)) {
    add('ban')
  }
  const close = () => {
    setOpen(undefined)
    onClose?.()
  }
  const done = () => {
    close()
    onDone?.()
  }
  const props = { serverId: server?.id ?? '', name, onClose: close, onDone: done }
  const dialog = server && open && (
    <Suspense fallback={null}>
      {open === 'ban' && <BanDialog {...props} userId={user.id} />}
      {open === 'kick' && <KickDialog {...props} userId={user.id} />}
      {open === 'timeout' && member && <TimeoutDialog {...props} member={member} />}
    </Suspense>
  )
  return { actions, dialog }
}
