import { maxBanReason, maxDeletedMessageSeconds } from '@gatehouse/protocol/limits'
import type { CreateBanBody } from '@gatehouse/protocol/servers'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { ModalDialog } from '../../ui/modal.tsx'
import { SelectField } from '../../ui/select-field.tsx'

const hour = 3600
const day = 24 * hour
/** Seconds, for which the messages of the user are deleted. */
const periods = [hour, day, maxDeletedMessageSeconds]

interface BanDialogProps {
  serverId: string
  userId: string
  name: string
  onClose(): void
}

export function BanDialog({ serverId, userId, name, onClose }: BanDialogProps) {
  const { t, dates } = useI18n()
  const { api, queries } = useClient()
  const [reason, setReason] = useState('')
  const [seconds, setSeconds] = useState('0')
  const ban = useMutation({
    mutationFn: () => {
      const body: CreateBanBody = { reason, deleteMessageSeconds: Number(seconds) }
      return api.call('createBan', { id: serverId, userId, body })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.bans(serverId) })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ban.mutate()
  }
  return (
    <ModalDialog title={t('member.banTitle', { name })} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
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
        <ErrorText error={ban.error} />
        <div className="line end">
          <button type="button" className="button plain" onClick={onClose}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button danger" disabled={ban.isPending}>
            {t('member.banShort')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
