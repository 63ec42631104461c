import { maxReportReason } from '@gatehouse/protocol/limits'
import { useId, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export type ReportTarget =
  | { channelId: string; messageId: string; isDirect: boolean }
  | { serverId: string; userId: string; name: string }

interface ReportDialogProps {
  target: ReportTarget
  onClose(): void
}

/** Reports a message or a member. It has its own texts, which are not in the first load. */
export const ReportDialog = withSettingsTexts(function ReportDialog({ target, onClose }: ReportDialogProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const id = useId()
  const [reason, setReason] = useState('')
  const [sent, setSent] = useState(false)
  const form = useSubmit({}, (error, baseT) =>
    error instanceof ApiError && error.code === 'conflict' ? t('report.already') : problemText(error, baseT),
  )
  const isMessage = 'messageId' in target
  async function send() {
    const body = { reason }
    if (isMessage) {
      const { channelId, messageId } = target
      await api.call('reportMessage', { id: channelId, messageId, body })
    } else await api.call('reportMember', { id: target.serverId, userId: target.userId, body })
    setSent(true)
  }
  return (
    <FormDialog
      title={isMessage ? t('report.message') : t('report.member', { name: target.name })}
      form={form}
      action={sent ? t('action.done') : t('report.send')}
      isComplete={sent || reason.trim() !== ''}
      isCancellable={!sent}
      onSubmit={sent ? async () => onClose() : send}
      onClose={onClose}
    >
      {sent ? (
        <p role="status">{t('report.sent')}</p>
      ) : (
        <>
          <p>
            {t(isMessage && target.isDirect ? 'report.hintDirect' : 'report.hint')} {t('report.nobody')}
          </p>
          <div className="field">
            <label htmlFor={id}>{t('report.reason')}</label>
            <AutosizeTextarea
              id={id}
              className="input"
              rows={3}
              required
              autoFocus
              maxLength={maxReportReason}
              value={reason}
              onChange={event => setReason(event.target.value)}
            />
          </div>
        </>
      )}
    </FormDialog>
  )
})
