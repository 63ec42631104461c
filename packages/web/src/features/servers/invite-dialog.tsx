import { defaultInviteSeconds, maxInviteSeconds } from '@gatehouse/protocol/limits'
import type { CreateInviteBody } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { ModalDialog } from '../../ui/modal.tsx'
import { SelectField } from '../../ui/select-field.tsx'

const hourSeconds = 3600
const lifetimes = [hourSeconds, 24 * hourSeconds, defaultInviteSeconds, maxInviteSeconds]
const maxUsesChoices = [0, 1, 10, 100]

interface InviteDialogProps {
  serverId: string
  name: string
  onClose(): void
}

/**
 * Creates an invite when it opens and when the options change. An unlimited invite is reused until half of its
 * lifetime.
 */
export const InviteDialog = withSettingsTexts(function InviteDialog({
  serverId,
  name,
  onClose,
}: InviteDialogProps) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const [expiresIn, setExpiresIn] = useState<number>(defaultInviteSeconds)
  const [maxUses, setMaxUses] = useState(0)
  const { data: invite, error } = useQuery({
    queryKey: ['invite', serverId, expiresIn, maxUses],
    queryFn: () => {
      const body: CreateInviteBody = { expiresIn, ...(maxUses > 0 ? { maxUses } : {}) }
      return api.call('createInvite', { id: serverId, body })
    },
    // An invite with a limit is not reused: it may be used up.
    staleTime: maxUses === 0 ? (expiresIn * 1000) / 2 : 0,
    gcTime: maxUses === 0 ? 10 * 60_000 : 0,
  })
  return (
    <ModalDialog title={t('server.invite')} isUnsaved={false} onClose={onClose}>
      <p className="hint">{t('server.inviteHint', { name })}</p>
      {error ? (
        <ErrorText error={error} />
      ) : (
        <CopyField
          label={t('server.inviteLink')}
          value={invite ? `${location.origin}/invite/${invite.code}` : ''}
          hint={invite ? t('server.inviteExpires', { date: dates.full(invite.expiresAt) }) : t('app.loading')}
        />
      )}
      <div className="pair">
        <SelectField
          label={t('server.inviteLifetime')}
          value={String(expiresIn)}
          options={lifetimes.map(value => ({ value: String(value), text: dates.duration(value) }))}
          onChange={value => setExpiresIn(Number(value))}
        />
        <SelectField
          label={t('server.inviteUses')}
          value={String(maxUses)}
          options={maxUsesChoices.map(value => ({
            value: String(value),
            text: value === 0 ? t('server.inviteAnyUses') : String(value),
          }))}
          onChange={value => setMaxUses(Number(value))}
        />
      </div>
      <div className="line end">
        <button type="button" className="button secondary" onClick={onClose}>
          {t('action.close')}
        </button>
      </div>
    </ModalDialog>
  )
})
