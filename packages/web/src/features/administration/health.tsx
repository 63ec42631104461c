import type { AdminHealth } from '@gatehouse/protocol/administration'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** Whether the service and what it needs work. */
export function Health() {
  const { api } = useClient()
  const { data, error } = useQuery({
    queryKey: keys.adminHealth,
    queryFn: ({ signal }) => api.call('getAdminHealth', { signal }),
    staleTime: 0,
  })
  if (!data) return error ? <ErrorText error={error} /> : <span className="skeleton skeleton-row" />
  return <Parts health={data} />
}

function Parts({
  health: { version, nodes, database, bus, mail, disk, lastBackupAt },
}: {
  health: AdminHealth
}) {
  const { t, dates } = useSettingsI18n()
  return (
    <Panel>
      <ul className="rows">
        <Part title={`${t('admin.version')} ${version}`}>
          {nodes.map(({ id, lastSeenAt }) => (
            <p key={id} className="hint">
              {t('admin.node', { id, date: dates.full(lastSeenAt) })}
            </p>
          ))}
        </Part>
        <Part title={t('admin.database')} ok={database.ok} problem={t('admin.databaseProblem')}>
          <p className="hint">
            {t('admin.databaseState', {
              name: `${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${database.serverVersion}`,
              size: Math.ceil(database.size / 1024 ** 2),
              migration: database.lastMigration,
            })}
          </p>
        </Part>
        <Part title={t('admin.bus')} ok={bus.ok} problem={t('admin.busProblem')}>
          <p className="hint">{t(`admin.bus.${bus.kind}`)}</p>
        </Part>
        <Part
          title={t('admin.mail')}
          ok={mail.ok}
          problem={t('admin.mailProblem', { reason: mail.problem ?? '' })}
        >
          <p className="hint">{t(`admin.mail.${mail.kind}`)}</p>
          <TestMail kind={mail.kind} />
        </Part>
        <Part title={t('admin.disk')} ok={disk.ok} problem={t('admin.diskProblem')}>
          <p className="hint">
            {disk.free === null
              ? t('admin.diskUnused')
              : t('admin.diskState', { size: Math.floor(disk.free / 1024 ** 2) })}
          </p>
        </Part>
        <Part title={t('admin.lastBackup')}>
          <p className="hint">{lastBackupAt === null ? t('admin.noBackup') : dates.full(lastBackupAt)}</p>
        </Part>
      </ul>
    </Panel>
  )
}

interface PartProps {
  title: string
  ok?: boolean
  /** Shown unless it is `ok`. */
  problem?: string
  children: ReactNode
}

function Part({ title, ok, problem, children }: PartProps) {
  const t = useSettingsT()
  return (
    <li className="row-card">
      <div className="grow">
        <strong>{title}</strong>{' '}
        {ok !== undefined && <span className="badge">{t(ok ? 'admin.works' : 'admin.problem')}</span>}
        {ok === false && <p className="problem">{problem}</p>}
        {children}
      </div>
    </li>
  )
}

function TestMail({ kind }: { kind: AdminHealth['mail']['kind'] }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { email = '' } = useSelf()
  const { busy, saved, problem, submit } = useSubmit({}, (error, translate) =>
    error instanceof ApiError && error.code === 'mail_failed'
      ? t('admin.testMailFailed', { reason: error.message })
      : problemText(error, translate),
  )
  return (
    <>
      <button
        type="button"
        className="button secondary small"
        disabled={busy}
        onClick={() => void submit(() => api.call('sendTestMail'))}
      >
        {t('admin.testMail')}
      </button>
      <p className="hint" role="status">
        {saved && t(kind === 'smtp' ? 'admin.testMailSent' : 'admin.testMailWritten', { email })}
      </p>
      <ErrorText text={problem} />
    </>
  )
}
