import type { Application } from '@gatehouse/protocol/applications'
import type { InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { commandText } from '../../core/commands.ts'
import type { SettingsTranslate } from '../../core/i18n/settings-i18n.tsx'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { userText } from '../../ui/user-name.tsx'
import { CopyEvent } from './copy-event.tsx'
import { SendAgain } from './send-again.tsx'

const refetchIntervalMs = 5000

/** The log of interactions that were sent to the bot, with its responses. */
export function Interactions({ application }: { application: Application }) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const { data: entries, error } = useQuery({
    queryKey: keys.interactions(application.id),
    queryFn: ({ signal }) =>
      api.call('listInteractions', { id: application.id, query: { limit: 50 }, signal }),
    refetchInterval: refetchIntervalMs,
  })
  return (
    <Panel hint={t('console.interactionsHint')}>
      <ErrorText error={error} />
      {entries?.length === 0 && <EmptyState icon="slash" text={t('console.noInteractions')} />}
      <ul className="rows">
        {entries?.toReversed().map(entry => (
          <li key={entry.id} className="row-card">
            <div className="grow">
              <p>
                <strong>
                  {entry.type === 'command' ? commandText(entry.name, entry.commandType) : entry.name}
                </strong>{' '}
                {entry.commandType && <span className="badge">{t(`command.type.${entry.commandType}`)}</span>}{' '}
                <span className={statusClass[entry.state]}>{t(`interaction.state.${entry.state}`)}</span>
              </p>
              <p>{describeOutcome(entry, t)}</p>
              <p className="hint">
                {[
                  userText(entry.user),
                  t(`console.delivery.${entry.delivery}`),
                  dates.full(entry.createdAt),
                ].join(' · ')}
              </p>
            </div>
            <details className="log-details">
              <summary className="hint">{t('console.event')}</summary>
              <pre>{JSON.stringify(entry.sent, null, 2)}</pre>
            </details>
            <span className="line">
              <CopyEvent application={application} event={entry.sent} />
              <SendAgain application={application} entry={entry} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const statusClass: Readonly<Record<InteractionLogEntry['state'], string>> = {
  pending: 'status',
  deferred: 'status',
  answered: 'status success',
  timed_out: 'status danger',
  failed: 'status danger',
}

/** The response and its time in milliseconds, and the reason of a failure as a text of the service. */
function describeOutcome(
  { response, respondedAfterMs, reason }: InteractionLogEntry,
  t: SettingsTranslate,
): string {
  const responseText =
    response !== null && respondedAfterMs !== null
      ? t('console.responded', { response, ms: respondedAfterMs })
      : undefined
  return [responseText, reason].filter(Boolean).join(' · ')
}
