import type { Authorization } from '@gatehouse/protocol/users'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { browserName } from '../identity/index.ts'

/** The sessions of the user. */
export function Sessions() {
  const { t, dates } = useSettingsI18n()
  const { api, queries } = useClient()
  const { data: sessions, error } = useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => api.call('listSessions', { signal }),
  })
  const revoke = useMutation({
    mutationFn: (id: string) => api.call('revokeSession', { id }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.sessions }),
  })
  const confirm = useConfirm()
  const hintId = useId()
  function confirmEnd() {
    let revokeTokens = false
    confirm({
      title: t('settings.sessionsEnd'),
      text: t('settings.sessionsEndText'),
      action: t('settings.sessionEnd'),
      preview: (
        <div>
          <label className="check">
            <input
              type="checkbox"
              aria-describedby={hintId}
              onChange={({ target }) => {
                revokeTokens = target.checked
              }}
            />
            {t('settings.sessionsEndTokens')}
          </label>
          <p id={hintId} className="hint">
            {t('settings.sessionsEndTokensHint')}
          </p>
        </div>
      ),
      run: async () => {
        await api.call('endOtherSessions', { body: { revokeTokens } })
        await queries.invalidateQueries({ queryKey: keys.sessions })
      },
    })
  }
  const problem = error ?? revoke.error
  const sorted = sessions && [...sessions].sort((a, b) => Number(b.current) - Number(a.current))
  return (
    <Panel title={t('settings.sessions')} hint={t('settings.sessionsHint')}>
      <ErrorText error={problem} />
      <ul className="rows">
        {sorted?.map(({ id, userAgent, ip, lastUsedAt, current }) => (
          <AccessRow
            key={id}
            name={browserName(userAgent) ?? t('settings.unknownBrowser')}
            badge={current ? t('settings.sessionCurrent') : undefined}
            details={[
              [t('settings.lastUsed', { date: dates.full(lastUsedAt) }), ip].filter(Boolean).join(' · '),
            ]}
            actionLabel={t('settings.sessionEnd')}
            onRevoke={current ? undefined : () => revoke.mutate(id)}
            busy={revoke.isPending}
          />
        ))}
      </ul>
      <div className="line">
        <button type="button" className="button secondary small" onClick={confirmEnd}>
          {t('settings.sessionsEnd')}
        </button>
      </div>
    </Panel>
  )
}

/** The applications that the user authorized. */
export function Authorizations() {
  const { t, dates } = useSettingsI18n()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const { data: authorizations, error } = useQuery({
    queryKey: keys.authorizations,
    queryFn: ({ signal }) => api.call('listAuthorizations', { signal }),
  })
  const confirmRevoke = ({ id, name }: Authorization['application']) =>
    confirm({
      title: t('settings.revoke'),
      text: t('settings.revokeConfirm', { name }),
      run: async () => {
        await api.call('revokeAuthorization', { applicationId: id })
        await queries.invalidateQueries({ queryKey: keys.authorizations })
      },
    })
  return (
    <Panel title={t('settings.authorizations')} hint={t('settings.authorizationsHint')}>
      <ErrorText error={error} />
      {authorizations?.length === 0 && <p className="hint">{t('settings.noAuthorizations')}</p>}
      <ul className="rows">
        {authorizations?.map(({ application, scopes, grantedAt, lastUsedAt }) => (
          <AccessRow
            key={application.id}
            icon={<Avatar src={application.icon} name={application.name} size={40} />}
            name={application.name}
            details={[
              scopes.map(scope => t(`scope.${scope}`)).join(' · '),
              [
                t('settings.granted', { date: dates.day(grantedAt) }),
                lastUsedAt && t('settings.lastUsed', { date: dates.full(lastUsedAt) }),
              ]
                .filter(Boolean)
                .join(' · '),
            ]}
            actionLabel={t('settings.revoke')}
            onRevoke={() => confirmRevoke(application)}
          />
        ))}
      </ul>
    </Panel>
  )
}

interface AccessRowProps {
  icon?: ReactNode
  name: string
  badge?: string | undefined
  /** Lines under the name. */
  details: readonly string[]
  /** The label of the button. */
  actionLabel: string
  /** Undefined for the current session, which ends by signing out. */
  onRevoke: (() => void) | undefined
  busy?: boolean
}

/** A session or an authorized application. */
function AccessRow({ icon, name, badge, details, actionLabel, onRevoke, busy = false }: AccessRowProps) {
  return (
    <li className="row-card">
      {icon}
      <div className="grow">
        <strong>{name}</strong> {badge && <span className="badge">{badge}</span>}
        {details.map(line => (
          <p key={line} className="hint">
            {line}
          </p>
        ))}
      </div>
      {onRevoke && (
        <button
          type="button"
          className="button secondary small"
          aria-label={`${actionLabel}: ${name}`}
          disabled={busy}
          onClick={onRevoke}
        >
          {actionLabel}
        </button>
      )}
    </li>
  )
}
