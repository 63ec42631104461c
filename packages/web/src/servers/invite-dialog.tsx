import type { Invite } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { ModalDialog } from '../ui/modal.tsx'

interface InviteDialogProps {
  serverId: string
  name: string
  onClose(): void
}

/** An invite is made when the dialog opens, and used again while it is fresh. */
export function InviteDialog({ serverId, name, onClose }: InviteDialogProps) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const { data: invite, error } = useQuery({
    queryKey: ['invite', serverId],
    queryFn: () => api.send<Invite>('POST', `/api/servers/${serverId}/invites`, {}),
    staleTime: 60 * 60_000,
  })
  return (
    <ModalDialog title={t('server.invite')} onClose={onClose}>
      <p className="hint">{t('server.inviteHint', { name })}</p>
      {error ? (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      ) : (
        <CopyField
          label={t('server.inviteLink')}
          value={invite ? `${location.origin}/invite/${invite.code}` : ''}
          hint={invite ? t('server.inviteExpires', { date: dates.full(invite.expiresAt) }) : t('app.loading')}
        />
      )}
      <div className="line end">
        <button type="button" className="button soft" onClick={onClose}>
          {t('action.close')}
        </button>
      </div>
    </ModalDialog>
  )
}
