import { maxAuditReason, maxTimeoutSeconds } from '@gatehouse/protocol/limits'
import type { Member, UpdateMemberBody } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { useIsFuture } from '../../core/servers/use-is-future.ts'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/** In seconds. The last one is shorter than what the service accepts, because the clock of the client may be fast. */
const durations = [minute, 10 * minute, hour, day, 7 * day, maxTimeoutSeconds - day]

interface TimeoutDialogProps {
  serverId: string
  member: Member
  name: string
  onClose(): void
  /** The act succeeded. */
  onDone(): void
}

export const TimeoutDialog = withSettingsTexts(function TimeoutDialog({
  serverId,
  member,
  name,
  onClose,
  onDone,
}: TimeoutDialogProps) {
  const { t, dates } = useSettingsI18n()
  const { api, now } = useClient()
  const [seconds, setSeconds] = useState(String(hour))
  const [reason, setReason] = useState('')
  const until = member.timedOutUntil
  const isTimedOut = useIsFuture(until)
  const form = useSubmit()
  // MEMBER_UPDATE changes the list of members.
  async function save(timedOutUntil: string | null) {
    const body: UpdateMemberBody = { timedOutUntil }
    await api.call('updateMember', { id: serverId, userId: member.user.id, body, reason })
    onDone()
  }
  return (
    <FormDialog
      title={t('member.timeoutTitle', { name })}
      form={form}
      action={t('member.timeout')}
      onSubmit={() => save(new Date(now() + Number(seconds) * 1000).toISOString())}
      onClose={onClose}
    >
      <p>{t('member.timeoutHint')}</p>
      {isTimedOut && until !== null && (
        <div className="line">
          <p className="grow">{t('member.timedOutUntil', { date: dates.full(until) })}</p>
          <button
            type="button"
            className="button secondary small"
            disabled={form.busy}
            onClick={() => void form.submit(() => save(null))}
          >
            {t('member.timeoutEnd')}
          </button>
        </div>
      )}
      <SelectField
        label={t('member.timeoutDuration')}
        value={seconds}
        onChange={setSeconds}
        options={durations.map(value => ({ value: String(value), text: dates.duration(value) }))}
      />
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
