import { maxPassword } from '@gatehouse/protocol/limits'
import type { UserServer } from '@gatehouse/protocol/servers'
import { useState } from 'react'
import { useOwnershipTransfers, useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { memberName } from '../../core/servers/members.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { AddTarget } from '../../ui/add-target.tsx'
import { Field } from '../../ui/field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm } from '../../ui/use-submit.ts'
import { userText } from '../../ui/user-name.tsx'
import { IdentityConfirmationProvider, useIdentityConfirmation, useSecondFactors } from '../identity/index.ts'
import { OfferedApplications } from './bound-applications.tsx'

interface ServerProps {
  server: UserServer
}

/** Offers the server to another owner, and withdraws the offer. */
export function ServerTransfer({ server }: ServerProps) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const confirm = useConfirm()
  const { data: factors } = useSecondFactors()
  const offer = useOwnershipTransfers().find(transfer => transfer.server.id === server.id)
  if (!offer) {
    return (
      <Panel title={t('transfer.title')} hint={t('transfer.hint')}>
        <IdentityConfirmationProvider factors={factors}>
          <NewOffer server={server} />
        </IdentityConfirmationProvider>
      </Panel>
    )
  }
  const text = t('transfer.offered', { name: userText(offer.user), date: dates.full(offer.expiresAt) })
  // OWNERSHIP_TRANSFER_UPDATE removes the offer.
  const run = () => api.call('endOwnershipTransfer', { id: server.id })
  return (
    <Panel title={t('transfer.title')} hint={t('transfer.hint')}>
      <div className="line">
        <p className="grow">{text}</p>
        <button
          type="button"
          className="button secondary"
          onClick={() => confirm({ title: t('transfer.withdraw'), text, run })}
        >
          {t('transfer.withdraw')}
        </button>
      </div>
    </Panel>
  )
}

function NewOffer({ server }: ServerProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const self = useSelf()
  const confirmIdentity = useIdentityConfirmation()
  const { members, more } = useAllMembers(server.id, [])
  const [userId, setUserId] = useState<string>()
  const form = useEditForm({ currentPassword: '' }, { currentPassword: { max: maxPassword } })
  const options = members
    .filter(({ user }) => !user.bot && user.id !== self.id)
    .map(member => ({
      id: member.user.id,
      name: memberName(member),
      detail: `@${member.user.username}`,
      text: userText(member.user, memberName(member)),
    }))
  const member = options.find(({ id }) => id === userId)
  const offer = (to: string) =>
    confirmIdentity(proof =>
      api.call('offerOwnership', { id: server.id, body: { userId: to, ...form.fields, ...proof } }),
    )
  return (
    <>
      <AddTarget
        label={t('nav.members')}
        action={t('transfer.choose')}
        groups={[{ label: t('nav.members'), options }]}
        more={more}
        onAdd={setUserId}
      />
      {member && (
        // OWNERSHIP_TRANSFER_UPDATE adds the offer, which replaces the form.
        <SettingsForm
          form={form}
          label={t('transfer.offer')}
          onSave={() => offer(member.id)}
          onCancel={() => setUserId(undefined)}
        >
          <OfferedApplications server={server} />
          <p role="status">{t('transfer.offerTo', { name: member.text, server: server.name })}</p>
          <Field
            label={t('settings.currentPassword')}
            type="password"
            {...form.field('currentPassword')}
            required
            autoComplete="current-password"
          />
        </SettingsForm>
      )}
    </>
  )
}
