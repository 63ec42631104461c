import { maxAuditReason } from '@gatehouse/protocol/limits'
import { useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

interface KickDialogProps {
  serverId: string
  userId: string
  name: string
  onClose(): void
  /** The act succeeded. */
  onDone(): void
}

export const KickDialog = withSettingsTexts(function KickDialog({
  serverId,
  userId,
  name,
  onClose,
  onDone,
}: KickDialogProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const [reason, setReason] = useState('')
  const form = useSubmit()
  async function kick() {
    await api.call('removeMember', { id: serverId, userId, reason })
    onDone()
  }
  return (
    <FormDialog
      title={t('member.kick')}
      role="alertdialog"
      form={form}
      action={t('member.kick')}
      isDanger
      onSubmit={kick}
      onClose={onClose}
    >
      <p>{t('member.kickConfirm', { name })}</p>
      <Field
        label={t('member.reason')}
        hint={t('member.reasonHint')}
        value={reason}
        onChange={setReason}
        maxLength={maxAuditReason}
      />
    </FormDialog>
  )
})
