import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import { type FormEvent, useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel, SaveBar, useSubmit } from '../../ui/settings-page.tsx'
import { ResendVerification } from './resend-verification.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Authorizations, Sessions } from './sessions-and-authorizations.tsx'

/** The credentials of the user, their sessions and the authorized applications. */
export function Security() {
  return (
    <>
      <Email />
      <Password />
      <SecondFactor />
      <Sessions />
      <Authorizations />
    </>
  )
}

function Email() {
  const t = useT()
  const self = useSelf()
  const { api } = useClient()
  const [entered, setEntered] = useState<string>()
  const email = entered ?? self.email ?? ''
  const [currentPassword, setCurrentPassword] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const { busy, saved, problem, fieldProblems, submit } = useSubmit({
    email: { max: maxEmail },
    currentPassword: {},
  })
  const dirty = email !== self.email
  async function save(event: FormEvent) {
    event.preventDefault()
    const succeeded = await submit(() => api.send('PATCH', '/api/users/@me', { email, currentPassword }))
    if (!succeeded) return
    setCurrentPassword('')
    setSentTo(email)
    // The new address takes effect when the user opens the link in the mail.
    setEntered(undefined)
  }
  return (
    <Panel title={t('settings.email')}>
      <form className="stack" onSubmit={event => void save(event)}>
        <Field
          label={t('settings.email')}
          type="email"
          value={email}
          onChange={setEntered}
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
            onChange={setCurrentPassword}
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
  const [password, setPassword] = useState('')
  const [currentPassword, setCurrentPassword] = useState('')
  const { busy, saved, problem, fieldProblems, submit } = useSubmit({
    password: { min: minPassword, max: maxPassword },
    currentPassword: {},
  })
  async function save(event: FormEvent) {
    event.preventDefault()
    const succeeded = await submit(() => api.send('PATCH', '/api/users/@me', { password, currentPassword }))
    if (!succeeded) return
    setPassword('')
    setCurrentPassword('')
    void queries.invalidateQueries({ queryKey: keys.sessions })
  }
  return (
    <Panel title={t('settings.password')} hint={t('settings.changePasswordHint')}>
      <form className="stack" onSubmit={event => void save(event)}>
        <Field
          label={t('settings.currentPassword')}
          type="password"
          value={currentPassword}
          onChange={setCurrentPassword}
          required
          maxLength={maxPassword}
          autoComplete="current-password"
          problem={fieldProblems.currentPassword}
        />
        <Field
          label={t('settings.newPassword')}
          type="password"
          value={password}
          onChange={setPassword}
          required
          minLength={minPassword}
          maxLength={maxPassword}
          autoComplete="new-password"
          hint={t('fieldError.atLeast', { count: minPassword })}
          problem={fieldProblems.password}
        />
        <SaveBar
          dirty={password !== '' && currentPassword !== ''}
          unsaved={password !== '' || currentPassword !== ''}
          busy={busy}
          saved={saved}
          problem={problem}
          label={t('settings.changePassword')}
        />
      </form>
    </Panel>
  )
}
