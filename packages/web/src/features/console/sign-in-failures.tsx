import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'

const refetchIntervalMs = 5000

/** The requests of an application to the authorization and the token endpoint that failed. */
export function SignInFailures({ applicationId }: { applicationId: string }) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const { data: failures, error } = useQuery({
    queryKey: [...keys.application(applicationId), 'sign-in-failures'],
    queryFn: ({ signal }) => api.call('listSignInFailures', { id: applicationId, signal }),
    refetchInterval: refetchIntervalMs,
    staleTime: 0,
  })
  return (
    <Panel hint={t('console.failuresHint')}>
      <ErrorText error={error} />
      {failures?.length === 0 && <EmptyState icon="enter" text={t('console.noFailures')} />}
      <ul className="rows">
        {failures?.map(({ id, endpoint, error, reason, count, createdAt, lastAt }) => (
          <li key={id} className="row-card">
            <div className="grow">
              <p>
                <strong>{t(`failure.${endpoint}`)}</strong> <span className="status danger">{error}</span>
              </p>
              <p>{reason}</p>
              <p className="hint">
                {dates.full(lastAt)}
                {count > 1 && ` · ${t('console.failureCount', { count, first: dates.full(createdAt) })}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
