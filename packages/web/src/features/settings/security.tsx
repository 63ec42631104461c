import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import { type FormEvent, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel, SaveBar } from '../../ui/settings-page.tsx'
import { useEdits } from '../../ui/use-edits.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { IdentityConfirmationProvider, useIdentityConfirmation } from './identity-confirmation.tsx'
import { ResendVerification } from './resend-verification.tsx'
import { SecondFactor, useSecondFactors } from './second-factor.tsx'
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
    </IdentityConfirmationProvider>
  )
}

function Email() {
  const t = useT()
  const self = useSelf()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const { fields, edit, dropSubmitted } = useEdits({ email: self.email ?? '', currentPassword: '' })
  const { email, currentPassword } = fields
  const [sentTo, setSentTo] = useState<string>()
  const { busy, saved, problem, fieldProblems, submit } = useSubmit({
    email: { max: maxEmail },
    currentPassword: {},
  })
  const dirty = email !== self.email
  async function save(event: FormEvent) {
    event.preventDefault()
    const succeeded = await submit(() =>
      confirmIdentity(proof => api.call('updateCurrentUser', { body: { ...fields, ...proof } })),
    )
    if (!succeeded) return
    setSentTo(email)
    // The new address takes effect when the user opens the link in the mail.
    dropSubmitted()
  }
  return (
    <Panel title={t('settings.email')}>
      <form className="stack" onSubmit={event => void save(event)}>
        <Field
          label={t('settings.email')}
          type="email"
          value={email}
          onChange={text => edit({ email: text })}
          required
          maxLength={maxEmail}
          autoComplete="email"
          hint={self.emailVerified === false ? t('settings.emailUnverified') : undefined}
          problem={fieldProblems.email}
        />
        {self.emailVerified === false && !dirty && <ResendVerification />}
        <p role="status" className="hint">
          {sentTo !== undefined && sentTo !== self.email && t('settings.emailChangeSent', { email: sentTo })}
        </p>
        {dirty && (
          <Field
            label={t('settings.currentPassword')}
            type="password"
            value={currentPassword}
            onChange={text => edit({ currentPassword: text })}
            required
            maxLength={maxPassword}
            autoComplete="current-password"
            problem={fieldProblems.currentPassword}
          />
        )}
        {dirty && (
          <SaveBar
            dirty={dirty}
            unsaved={email !== (self.email ?? '')}
            busy={busy}
            saved={saved}
            problem={problem}
            label={t('settings.changeEmail')}
          />
        )}
      </form>
    </Panel>
  )
}

function Password() {
  const t = useT()
  const { api, queries } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const { fields, dirty, edit, dropSubmitted } = useEdits({ password: '', currentPassword: '' })
  const { password, currentPassword } = fields
  const { busy, saved, problem, fieldProblems, submit } = useSubmit({
    password: { min: minPassword, max: maxPassword },
    currentPassword: {},
  })
  async function save(event: FormEvent) {
    event.preventDefault()
    const succeeded = await submit(() =>
      confirmIdentity(proof => api.call('updateCurrentUser', { body: { ...fields, ...proof } })),
    )
    if (!succeeded) return
    dropSubmitted()
    void queries.invalidateQueries({ queryKey: keys.sessions })
  }
  return (
    <Panel title={t('settings.password')} hint={t('settings.changePasswordHint')}>
      <form className="stack" onSubmit={event => void save(event)}>
        <Field
          label={t('settings.currentPassword')}
          type="password"
          value={currentPassword}
          onChange={text => edit({ currentPassword: text })}
          required
          maxLength={maxPassword}
          autoComplete="current-password"
          problem={fieldProblems.currentPassword}
        />
        <Field
          label={t('settings.newPassword')}
          type="password"
          value={password}
          onChange={text => edit({ password: text })}
          required
          minLength={minPassword}
          maxLength={maxPassword}
          autoComplete="new-password"
          hint={t('fieldError.atLeast', { count: minPassword })}
          problem={fieldProblems.password}
        />
        <SaveBar
          dirty={password !== '' && currentPassword !== ''}
          unsaved={dirty}
          busy={busy}
          saved={saved}
          problem={problem}
          label={t('settings.changePassword')}
        />
      </form>
    </Panel>
  )
}
