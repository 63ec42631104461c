import { maxBanReason, maxDeletedMessageSeconds } from '@gatehouse/protocol/limits'
import type { CreateBanBody } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

const hour = 3600
const day = 24 * hour
/** Seconds, for which the messages of the user are deleted. */
const periods = [hour, day, maxDeletedMessageSeconds]

interface BanDialogProps {
  serverId: string
  userId: string
  name: string
  onClose(): void
  /** The act succeeded. */
  onDone(): void
}

export const BanDialog = withSettingsTexts(function BanDialog({
  serverId,
  userId,
  name,
  onClose,
  onDone,
}: BanDialogProps) {
  const { t, dates } = useSettingsI18n()
  const { api, queries } = useClient()
  const [reason, setReason] = useState('')
  const [seconds, setSeconds] = useState('0')
  const form = useSubmit()
  async function ban() {
    const body: CreateBanBody = { reason, deleteMessageSeconds: Number(seconds) }
    await api.call('createBan', { id: serverId, userId, body })
    await queries.invalidateQueries({ queryKey: keys.bans(serverId) })
    onDone()
  }
  return (
    <FormDialog
      title={t('member.banTitle', { name })}
      form={form}
      action={t('member.short.ban')}
      isDanger
      onSubmit={ban}
      onClose={onClose}
    >
      <p>{t('member.banHint')}</p>
      <Field
        label={t('member.banReason')}
        hint={t('member.banReasonHint')}
        value={reason}
        onChange={setReason}
        autoFocus
        maxLength={maxBanReason}
      />
      <SelectField
        label={t('member.banMessages')}
        value={seconds}
        onChange={setSeconds}
        options={[
          { value: '0', text: t('member.banMessagesNone') },
          ...periods.map(period => ({
            value: String(period),
            text: t('member.banMessagesLast', { period: dates.duration(period) }),
          })),
        ]}
      />
    </FormDialog>
  )
})
