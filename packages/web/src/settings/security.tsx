import { maxEmail, maxPassword, minPassword } from '@gatehouse/protocol/limits'
import type { Authorization, SelfUser, Session } from '@gatehouse/protocol/users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { browserName } from './browser-name.ts'
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
  const { busy, saved, problem, submit } = useSubmit(cause =>
    cause instanceof ApiError && cause.code === 'conflict' ? t('settings.emailTaken') : problemText(cause, t),
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
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
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

function Sessions() {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const queries = useQueryClient()
  const { data: sessions, error } = useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => api.get<Session[]>('/api/users/@me/sessions', signal),
  })
  const end = useMutation({
    mutationFn: (id: string) => api.send('DELETE', `/api/users/@me/sessions/${id}`),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.sessions }),
  })
  const problem = error ?? end.error
  const inOrder = sessions && [...sessions].sort((a, b) => Number(b.current) - Number(a.current))
  return (
    <Panel title={t('settings.sessions')} hint={t('settings.sessionsHint')}>
      {problem && (
        <p className="problem" role="alert">
          {problemText(problem, t)}
        </p>
      )}
      <ul className="rows">
        {inOrder?.map(({ id, userAgent, ip, lastUsedAt, current }) => (
          <li key={id} className="row-card">
            <div className="grow">
              <p>
                <strong>{browserName(userAgent) ?? t('settings.unknownBrowser')}</strong>{' '}
                {current && <span className="badge">{t('settings.sessionCurrent')}</span>}
              </p>
              <p className="hint">
                {t('settings.sessionUsed', { date: dates.full(lastUsedAt) })}
                {ip && ` · ${ip}`}
              </p>
            </div>
            {!current && (
              <button
                type="button"
                className="button soft small"
                disabled={end.isPending}
                onClick={() => end.mutate(id)}
              >
                {t('settings.sessionEnd')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Authorizations() {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const { data: list, error } = useQuery({
    queryKey: keys.authorizations,
    queryFn: ({ signal }) => api.get<Authorization[]>('/api/users/@me/authorizations', signal),
  })
  const ask = ({ id, name }: Authorization['application']) =>
    confirm({
      title: t('settings.revoke'),
      text: t('settings.revokeConfirm', { name }),
      action: t('settings.revoke'),
      run: async () => {
        await api.send('DELETE', `/api/users/@me/authorizations/${id}`)
        await queries.invalidateQueries({ queryKey: keys.authorizations })
      },
    })
  return (
    <Panel title={t('settings.authorizations')} hint={t('settings.authorizationsHint')}>
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {list?.length === 0 && <p className="hint">{t('settings.noAuthorizations')}</p>}
      <ul className="rows">
        {list?.map(({ application, scopes, grantedAt }) => (
          <li key={application.id} className="row-card">
            <Avatar src={application.icon} name={application.name} size={40} />
            <div className="grow">
              <strong>{application.name}</strong>
              <p className="hint">{scopes.map(scope => t(`scope.${scope}`)).join(' · ')}</p>
              <p className="hint">{t('settings.granted', { date: dates.day(grantedAt) })}</p>
            </div>
            <button type="button" className="button soft small" onClick={() => ask(application)}>
              {t('settings.revoke')}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
