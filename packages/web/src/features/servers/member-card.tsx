import type { User } from '@gatehouse/protocol/users'
import { useMutation } from '@tanstack/react-query'
import { type RefObject, Suspense, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import { useNavigate } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useSelf, useServers } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { useIsFuture } from '../../core/servers/use-is-future.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { CommandMenu } from '../../ui/command-menu.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { userText } from '../../ui/user-name.tsx'
import { ReportDialog } from './lazy-dialogs.ts'
import { useMemberActions } from './member-actions.tsx'
import { MemberRoles } from './member-roles.tsx'
import { useBlockAction } from './use-block-action.ts'

/** Whether the element is in the right half of the window. The card then opens to its left. */
function isInRightHalf(element: HTMLElement | null): boolean {
  return (element?.getBoundingClientRect().left ?? 0) > innerWidth / 2
}

export interface MemberCardProps {
  user: Pick<User, 'id' | 'username' | 'displayName' | 'avatar' | 'bot'>
  serverId: string | null
  trigger: RefObject<HTMLElement | null>
  onClose(): void
}

/** The profile of a user, with their roles on the server and a button for a direct message. */
export function MemberCard({ user, serverId, trigger, onClose }: MemberCardProps) {
  const { t, dates } = useI18n()
  const { api, queries } = useClient()
  const self = useSelf()
  const narrow = useNarrow()
  const { may } = useChannelContext()
  const navigate = useNavigate()
  const { members } = useAllMembers(serverId, [user.id])
  const userServer = useServers().find(({ id }) => id === serverId)
  const member = members.find(other => other.user.id === user.id)
  const openDirectChannel = useMutation({
    mutationFn: () => api.call('openDirectMessage', { body: { recipientId: user.id } }),
    onSuccess: async channel => {
      await queries.invalidateQueries({ queryKey: keys.directChannels })
      onClose()
      await navigate(`/channels/@me/${channel.id}`)
    },
  })
  const isTimedOut = useIsFuture(member?.timedOutUntil ?? null)
  const [reporting, setReporting] = useState(false)
  const { actions, dialog: actionDialog } = useMemberActions({
    server: userServer,
    user,
    member,
    onClose,
  })
  const block = useBlockAction()(user)
  const dialog =
    reporting && serverId ? (
      <Suspense fallback={null}>
        <ReportDialog target={{ serverId, userId: user.id, name: userText(user) }} onClose={onClose} />
      </Suspense>
    ) : (
      actionDialog
    )
  return (
    <>
      <Popover
        className="popover"
        triggerRef={trigger}
        isOpen={!dialog}
        onOpenChange={open => open || dialog || onClose()}
        placement={narrow ? 'bottom' : isInRightHalf(trigger.current) ? 'left top' : 'right top'}
      >
        <Dialog className="member-card" aria-label={t('member.card', { name: user.displayName })}>
          <div className="member-card-header">
            <Avatar src={user.avatar} name={user.displayName} size={72} />
            <div>
              <p className="member-card-name">
                <bdi>{user.displayName}</bdi> {user.bot && <span className="badge">{t('chat.bot')}</span>}
              </p>
              <p className="hint">
                @{user.username}
                {user.id === self.id && ` · ${t('member.you')}`}
              </p>
            </div>
          </div>
          {member && <p className="hint">{t('member.since', { date: dates.day(member.joinedAt) })}</p>}
          {isTimedOut && member?.timedOutUntil && (
            <p className="hint">{t('member.timedOutUntil', { date: dates.full(member.timedOutUntil) })}</p>
          )}
          {member && serverId && <MemberRoles serverId={serverId} member={member} />}
          <ErrorText error={openDirectChannel.error} />
          {user.id !== self.id && (
            <button
              type="button"
              className="button"
              disabled={openDirectChannel.isPending}
              onClick={() => openDirectChannel.mutate()}
            >
              <Icon name="chat" />
              {t('dm.message')}
            </button>
          )}
          {member && may.useCommandMenus && (
            <CommandMenu type="user" targetId={user.id} className="button secondary" onDone={onClose}>
              <Icon name="bot" />
              {t('command.menu')}
            </CommandMenu>
          )}
          {user.id !== self.id && (
            <button
              type="button"
              className="button plain"
              onClick={() => {
                onClose()
                block.run()
              }}
            >
              {block.label}
            </button>
          )}
          {user.id !== self.id && member && (
            <button type="button" className="button plain" onClick={() => setReporting(true)}>
              {t('report.open')}
            </button>
          )}
          {actions.map(({ label, run }) => (
            <button key={label} type="button" className="button plain" onClick={run}>
              {label}
            </button>
          ))}
        </Dialog>
      </Popover>
      {dialog}
    </>
  )
}
