import type { InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'
import type { Translate } from '../i18n/translate.ts'
import { Panel } from '../settings/settings-page.tsx'
import { Icon } from '../ui/icon.tsx'

const everyMs = 5000

/** What was sent to the bot of late, and what came back. */
export function Interactions({ applicationId }: { applicationId: string }) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const { data: list, error } = useQuery({
    queryKey: keys.interactions(applicationId),
    queryFn: ({ signal }) =>
      api.get<InteractionLogEntry[]>(`/api/applications/${applicationId}/interactions?limit=50`, signal),
    refetchInterval: everyMs,
  })
  return (
    <Panel>
      {error && (
        <p className="problem" role="alert">
          {problemText(error, t)}
        </p>
      )}
      {list?.length === 0 && (
        <div className="empty">
          <Icon name="slash" />
          <p>{t('console.noInteractions')}</p>
        </div>
      )}
      <ul className="rows">
        {list?.toReversed().map(entry => (
          <li key={entry.id} className="row-card">
            <div className="grow">
              <p>
                <strong>{entry.type === 'command' ? `/${entry.name}` : entry.name}</strong>{' '}
                <span className={statusClass[entry.state]}>{t(`interaction.state.${entry.state}`)}</span>
              </p>
              <p>{outcome(entry, t)}</p>
              <p className="hint">
                {[
                  entry.user.displayName,
                  t(`console.delivery.${entry.delivery}`),
                  dates.full(entry.createdAt),
                ].join(' · ')}
              </p>
            </div>
            <details className="log-details">
              <summary className="hint">{t('console.sent')}</summary>
              <pre>{JSON.stringify(entry.sent, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const statusClass: Readonly<Record<InteractionLogEntry['state'], string>> = {
  pending: 'status',
  deferred: 'status',
  answered: 'status good',
  timed_out: 'status bad',
  failed: 'status bad',
}

/** What came back after how many milliseconds, or why nothing did: the service's own words, which name the cause. */
function outcome({ response, respondedAfterMs, reason }: InteractionLogEntry, t: Translate): string {
  const answer =
    response !== null && respondedAfterMs !== null
      ? t('console.responded', { response, ms: respondedAfterMs })
      : undefined
  return [answer, reason].filter(Boolean).join(' · ')
}
