import { referencePattern } from '@gatehouse/protocol/ids'
import { maxListLimit, maxReportReason } from '@gatehouse/protocol/limits'
import { cutText } from '@gatehouse/protocol/text'
import type { User } from '@gatehouse/protocol/users'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'

export type ReportTarget =
  | { channelId: string; messageId: string; isDirect: boolean }
  | { serverId: string; userId: string; name: string }
  /** One of the messages of the other person of a conversation. */
  | { channelId: string; recipient: User }

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
  const isMessage = 'channelId' in target
  const [chosen, setChosen] = useState('messageId' in target ? target.messageId : '')
  const isDirect = 'recipient' in target || ('isDirect' in target && target.isDirect)
  async function send() {
    const body = { reason }
    if (isMessage) await api.call('reportMessage', { id: target.channelId, messageId: chosen, body })
    else await api.call('reportMember', { id: target.serverId, userId: target.userId, body })
    setSent(true)
  }
  return (
    <FormDialog
      title={isMessage ? t('report.message') : t('report.member', { name: target.name })}
      form={form}
      action={sent ? t('action.done') : t('report.send')}
      isComplete={sent || (reason.trim() !== '' && (!isMessage || chosen !== ''))}
      isCancellable={!sent}
      onSubmit={sent ? async () => onClose() : send}
      onClose={onClose}
    >
      {sent ? (
        <p role="status">{t('report.sent')}</p>
      ) : (
        <>
          <p>
            {t(isDirect ? 'report.hintDirect' : 'report.hint')} {t('report.nobody')}
          </p>
          {'recipient' in target && <MessageChoice {...target} value={chosen} onChange={setChosen} />}
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

interface MessageChoiceProps {
  channelId: string
  recipient: User
  value: string
  onChange(messageId: string): void
}

const maxShownText = 80

/** Which of the newest messages of the other person is reported: the newest one, unless the user selects another. */
function MessageChoice({ channelId, recipient, value, onChange }: MessageChoiceProps) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const self = useSelf()
  const { data, error } = useQuery({
    queryKey: ['reportable', channelId],
    queryFn: ({ signal }) =>
      api.call('listMessages', { id: channelId, query: { limit: maxListLimit }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const messages = data?.filter(({ author }) => author.id === recipient.id)
  const newest = messages?.[0]?.id
  useEffect(() => {
    if (value === '' && newest !== undefined) onChange(newest)
  }, [value, newest, onChange])
  if (!messages) return <ErrorText error={error} />
  const withNames = (content: string) =>
    content.replace(new RegExp(referencePattern, 'g'), (_reference, sign: string, id: string) => {
      const user = [recipient, self].find(other => other.id === id)
      return `${sign.charAt(0)}${user ? userText(user) : t('chat.unknownUser')}`
    })
  const shown = (text: string) => cutText(withNames(text), maxShownText)
  if (messages.length === 0) return <p>{t('report.nothingWritten', { name: userText(recipient) })}</p>
  return (
    <SelectField
      label={t('report.which')}
      value={value}
      options={messages.map(({ id, content, embeds, createdAt }) => ({
        value: id,
        text: `${dates.full(createdAt)}: ${shown(content || (embeds[0]?.title ?? t('chat.embed')))}`,
      }))}
      onChange={onChange}
    />
  )
}
