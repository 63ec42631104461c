import type { OwnershipTransfer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { boundApplicationsQuery } from '../../core/api/query-options.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'

interface AcceptOfferDialogProps {
  offer: OwnershipTransfer
  onClose(): void
}

/** Accepts a server, and decides which applications stay bound to it (sign-in/binding-decision). */
export const AcceptOfferDialog = withSettingsTexts(function AcceptOffer({
  offer: { server, owner },
  onClose,
}: AcceptOfferDialogProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const form = useSubmit()
  const [ended, setEnded] = useState<readonly string[]>([])
  const { data: applications, error } = useQuery(boundApplicationsQuery(api, server.id))
  const names = { server: server.name, name: userText(owner) }
  const toggle = (id: string) =>
    setEnded(ended.includes(id) ? ended.filter(other => other !== id) : [...ended, id])
  async function accept() {
    const ids = (applications ?? []).map(({ id }) => id)
    const keptApplications = ids.filter(id => !ended.includes(id))
    await api.call('acceptOwnership', { id: server.id, body: { keptApplications } })
    onClose()
  }
  return (
    <FormDialog
      title={t('transfer.accept')}
      role="alertdialog"
      form={form}
      action={t('transfer.accept')}
      isComplete={applications !== undefined}
      onSubmit={accept}
      onClose={onClose}
    >
      <p>{t('transfer.acceptConfirm', names)}</p>
      <ErrorText error={error} />
      {applications && applications.length > 0 && (
        <fieldset className="checks fieldset">
          <legend className="hint">{t('transfer.applications')}</legend>
          {applications.map(({ id, name, owner }) => (
            <label key={id} className="check">
              <input type="checkbox" checked={!ended.includes(id)} onChange={() => toggle(id)} />
              <span>
                <bdi>{name}</bdi> <span className="hint">{`@${owner.username} · ${id}`}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
  )
})
