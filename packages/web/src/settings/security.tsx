import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Field } from '../ui/field.tsx'
import { Authorizations, Sessions } from './access.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Panel, SaveBar, useSubmit } from './settings-page.tsx'

/** Who else can act as oneself, and how to end that. */
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
  const queries = useQueryClient()
  const [email, setEmail] = useState(self.email ?? '')
  const [currentPassword, setCurrentPassword] = useState('')
  const { busy, saved, problem, at, submit } = useSubmit(
    cause =>
      cause instanceof ApiError && cause.code === 'conflict'
        ? t('settings.emailTaken')
        : problemText(cause, t),
    { email: { max: maxEmail }, currentPassword: {} },
  )
  const resend = useMutation({ mutationFn: () => api.send('POST', '/api/auth/email/resend') })
  const dirty = email !== self.email
  async function save(event: FormEvent) {
    event.preventDefault()
    const done = await submit(async () => {
      const body = { email, currentPassword }
      queries.setQueryData(keys.self, await api.send<SelfUser>('PATCH', '/api/users/@me', body))
    })
    if (done) setCurrentPassword('')
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
          problem={at.email}
        />
        {self.emailVerified === false && !dirty && (
          <div className="line">
            <button
              type="button"
              className="button soft small"
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
            problem={at.currentPassword}
          />
        )}
        {dirty && (
          <SaveBar
            dirty={dirty}
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
  const { api } = useClient()
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const [currentPassword, setCurrentPassword] = useState('')
  const { busy, saved, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    password: { min: minPassword, max: maxPassword },
    currentPassword: {},
  })
  async function save(event: FormEvent) {
    event.preventDefault()
    const done = await submit(() => api.send('PATCH', '/api/users/@me', { password, currentPassword }))
    if (!done) return
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
          problem={at.currentPassword}
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
          hint={t('fault.atLeast', { count: minPassword })}
          problem={at.password}
        />
        <SaveBar
          dirty={password !== '' && currentPassword !== ''}
          busy={busy}
          saved={saved}
          problem={problem}
          label={t('settings.changePassword')}
        />
      </form>
    </Panel>
  )
}
