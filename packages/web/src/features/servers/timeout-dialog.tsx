import { maxTimeoutSeconds } from '@gatehouse/protocol/limits'
import type { Member, UpdateMemberBody } from '@gatehouse/protocol/servers'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useIsFuture } from '../../core/servers/use-is-future.ts'
import { ErrorText } from '../../ui/error-text.tsx'
import { ModalDialog } from '../../ui/modal.tsx'
import { SelectField } from '../../ui/select-field.tsx'

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
}

export function TimeoutDialog({ serverId, member, name, onClose }: TimeoutDialogProps) {
  const { t, dates } = useI18n()
  const { api, now } = useClient()
  const [seconds, setSeconds] = useState(String(hour))
  const until = member.timedOutUntil
  const isTimedOut = useIsFuture(until)
  // MEMBER_UPDATE changes the list of members.
  const save = useMutation({
    mutationFn: (timedOutUntil: string | null) => {
      const body: UpdateMemberBody = { timedOutUntil }
      return api.call('updateMember', { id: serverId, userId: member.user.id, body })
    },
    onSuccess: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(new Date(now() + Number(seconds) * 1000).toISOString())
  }
  return (
    <ModalDialog title={t('member.timeoutTitle', { name })} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{t('member.timeoutHint')}</p>
        {isTimedOut && until !== null && (
          <div className="line">
            <p className="grow">{t('member.timedOutUntil', { date: dates.full(until) })}</p>
            <button
              type="button"
              className="button secondary small"
              disabled={save.isPending}
              onClick={() => save.mutate(null)}
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
        <ErrorText error={save.error} />
        <div className="line end">
          <button type="button" className="button plain" onClick={onClose}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button" disabled={save.isPending}>
            {t('member.timeout')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
