import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { IdentityConfirmationProvider, useIdentityConfirmation, useSecondFactors } from '../identity/index.ts'
import { ResendVerification } from './resend-verification.tsx'
import { SecondFactor } from './second-factor.tsx'
import { SecurityLog } from './security-log.tsx'
import { Authorizations, Sessions } from './sessions-and-authorizations.tsx'

/** The credentials of the user, their sessions and the authorized applications. */
export function Security() {
  const { data: factors } = useSecondFactors()
  return (
    <IdentityConfirmationProvider factors={factors}>
      <Email />
      <Password />
      <SecondFactor />
      <Sessions />
      <Authorizations />
      <SecurityLog />
    </IdentityConfirmationProvider>
  )
}

function Email() {
  const t = useSettingsT()
  const self = useSelf()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const form = useEditForm(
    { email: self.email ?? '', currentPassword: '' },
    { email: { max: maxEmail }, currentPassword: { max: maxPassword } },
  )
  const { email } = form.fields
  const [sentTo, setSentTo] = useState<string>()
  const dirty = email !== self.email
  async function save() {
    await confirmIdentity(proof => api.call('updateCurrentUser', { body: { ...form.fields, ...proof } }))
    // The new address takes effect when the user opens the link in the mail.
    setSentTo(email)
  }
  return (
    <Panel title={t('settings.email')}>
      <SettingsForm
        form={form}
        dirty={dirty}
        unsaved={email !== (self.email ?? '')}
        hiddenUntilDirty
        label={t('settings.changeEmail')}
        onSave={save}
      >
        <Field
          label={t('settings.email')}
          type="email"
          {...form.field('email')}
          required
          autoComplete="email"
          hint={self.emailVerified === false ? t('settings.emailUnverified') : undefined}
        />
        {self.emailVerified === false && !dirty && <ResendVerification />}
        <p role="status" className="hint">
          {sentTo !== undefined && sentTo !== self.email && t('settings.emailChangeSent', { email: sentTo })}
        </p>
        {dirty && (
          <Field
            label={t('settings.currentPassword')}
            type="password"
            {...form.field('currentPassword')}
            required
            autoComplete="current-password"
          />
        )}
      </SettingsForm>
    </Panel>
  )
}

function Password() {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const form = useEditForm(
    { password: '', currentPassword: '' },
    { password: { min: minPassword, max: maxPassword }, currentPassword: { max: maxPassword } },
  )
  const { password, currentPassword } = form.fields
  async function save() {
    await confirmIdentity(proof => api.call('updateCurrentUser', { body: { ...form.fields, ...proof } }))
    void queries.invalidateQueries({ queryKey: keys.sessions })
  }
  return (
    <Panel title={t('settings.password')} hint={t('settings.changePasswordHint')}>
      <SettingsForm
        form={form}
        dirty={password !== '' && currentPassword !== ''}
        unsaved={form.dirty}
        label={t('settings.changePassword')}
        onSave={save}
      >
        <Field
          label={t('settings.currentPassword')}
          type="password"
          {...form.field('currentPassword')}
          required
          autoComplete="current-password"
        />
        <Field
          label={t('settings.newPassword')}
          type="password"
          {...form.field('password')}
          required
          minLength={minPassword}
          autoComplete="new-password"
          hint={t('fieldError.atLeast', { count: minPassword })}
        />
      </SettingsForm>
    </Panel>
  )
}
