import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel, SaveBar, useSubmit } from '../../ui/settings-page.tsx'
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
  const { api, queries } = useClient()
  const [email, setEmail] = useState(self.email ?? '')
  const [currentPassword, setCurrentPassword] = useState('')
  const { busy, saved, problem, fieldProblems, submit } = useSubmit(
    { email: { max: maxEmail }, currentPassword: {} },
    cause =>
      cause instanceof ApiError && cause.code === 'conflict'
        ? t('settings.emailTaken')
        : problemText(cause, t),
  )
  const resend = useMutation({ mutationFn: () => api.send('POST', '/api/auth/email/resend') })
  const dirty = email !== self.email
  async function save(event: FormEvent) {
    event.preventDefault()
    const succeeded = await submit(async () => {
      const body = { email, currentPassword }
      queries.setQueryData(keys.self, await api.send<SelfUser>('PATCH', '/api/users/@me', body))
    })
    if (succeeded) setCurrentPassword('')
  }
  return (
    <Panel title={t('settings.email')}>
      <form className="stack" onSubmit={event => void save(event)}>
        <Field
          label={t('settings.email')}
          type="email"
          value={email}
          onChange={setEmail}
          required
          maxLength={maxEmail}
          autoComplete="email"
          hint={self.emailVerified === false ? t('settings.emailUnverified') : undefined}
          problem={fieldProblems.email}
        />
        {self.emailVerified === false && !dirty && (
          <div className="line">
            <button
              type="button"
              className="button secondary small"
              disabled={resend.isPending || resend.isSuccess}
              onClick={() => resend.mutate()}
            >
              {t('settings.emailResend')}
            </button>
            <span role="status" className="hint">
              {resend.isSuccess ? t('settings.emailSent') : resend.error ? problemText(resend.error, t) : ''}
            </span>
          </div>
        )}
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
