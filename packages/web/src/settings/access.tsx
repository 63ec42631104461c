import type { Authorization, Session } from '@gatehouse/protocol/users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { browserName } from './browser-name.ts'
import { Panel } from './settings-page.tsx'

/** Browsers where one is signed in. */
export function Sessions() {
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
          <AccessRow
            key={id}
            name={browserName(userAgent) ?? t('settings.unknownBrowser')}
            badge={current ? t('settings.sessionCurrent') : undefined}
            about={[
              [t('settings.sessionUsed', { date: dates.full(lastUsedAt) }), ip].filter(Boolean).join(' · '),
            ]}
            action={t('settings.sessionEnd')}
            onEnd={current ? undefined : () => end.mutate(id)}
            busy={end.isPending}
          />
        ))}
      </ul>
    </Panel>
  )
}

/** Applications that one signed in to. */
export function Authorizations() {
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
        {list?.map(({ application, scopes, grantedAt, lastUsedAt }) => (
          <AccessRow
            key={application.id}
            picture={<Avatar src={application.icon} name={application.name} size={40} />}
            name={application.name}
            about={[
              scopes.map(scope => t(`scope.${scope}`)).join(' · '),
              [
                t('settings.granted', { date: dates.day(grantedAt) }),
                lastUsedAt && t('settings.sessionUsed', { date: dates.full(lastUsedAt) }),
              ]
                .filter(Boolean)
                .join(' · '),
            ]}
            action={t('settings.revoke')}
            onEnd={() => ask(application)}
          />
        ))}
      </ul>
    </Panel>
  )
}

interface AccessRowProps {
  picture?: ReactNode
  name: string
  badge?: string | undefined
  /** Lines under the name. */
  about: readonly string[]
  /** How it is ended. */
  action: string
  /** Undefined where it cannot be ended here. */
  onEnd: (() => void) | undefined
  busy?: boolean
}

/** A browser or an application that can act as oneself. */
function AccessRow({ picture, name, badge, about, action, onEnd, busy = false }: AccessRowProps) {
  return (
    <li className="row-card">
      {picture}
      <div className="grow">
        <strong>{name}</strong> {badge && <span className="badge">{badge}</span>}
        {about.map(line => (
          <p key={line} className="hint">
            {line}
          </p>
        ))}
      </div>
      {onEnd && (
        <button
          type="button"
          className="button soft small"
          aria-label={`${action}: ${name}`}
          disabled={busy}
          onClick={onEnd}
        >
          {action}
        </button>
      )}
    </li>
  )
}
