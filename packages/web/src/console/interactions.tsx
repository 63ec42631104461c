import type { InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n } from '../i18n/i18n.tsx'
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
        {list?.map(entry => (
          <li key={entry.id} className="row-card">
            <div className="grow">
              <p>
                <strong>{entry.type === 'command' ? `/${entry.name}` : entry.name}</strong>{' '}
                <span className="badge">{entry.state}</span>
              </p>
              <p className="hint">
                {[
                  entry.user.displayName,
                  dates.full(entry.createdAt),
                  entry.delivery,
                  entry.response,
                  entry.respondedAfterMs === null ? undefined : `${entry.respondedAfterMs} ms`,
                  entry.reason,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
            <details className="log-details">
              <summary className="hint">JSON</summary>
              <pre>{JSON.stringify(entry.sent, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
