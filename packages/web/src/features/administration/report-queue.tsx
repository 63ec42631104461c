import { maxListLimit } from '@gatehouse/protocol/limits'
import type { Report, ReportState } from '@gatehouse/protocol/reports'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { ReportCard, ReportList } from '../../ui/report-card.tsx'
import { userText } from '../../ui/user-name.tsx'

const pageSize = maxListLimit

/** The reports of direct messages, newest first. */
export function ReportQueue() {
  const t = useSettingsT()
  const { api } = useClient()
  const [state, setState] = useState<ReportState | undefined>('open')
  const query = useInfiniteQuery({
    queryKey: keys.adminReports(state),
    queryFn: ({ pageParam, signal }) =>
      api.call('listAdminReports', {
        query: { limit: pageSize, before: pageParam || undefined, state },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: page => (page.length < pageSize ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })
  return (
    <ReportList hint={t('report.adminHint')} state={state} onStateChange={setState} query={query}>
      {report => <DirectReport key={report.id} report={report} />}
    </ReportList>
  )
}

/** Shows the message only on request, because the service records that. */
function DirectReport({ report }: { report: Report }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { id, user } = report
  const [open, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: keys.adminReport(id),
    queryFn: ({ signal }) => api.call('getAdminReport', { id, signal }),
    enabled: open,
    // Each request is recorded.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <ReportCard
      report={report}
      message={open ? data?.message : undefined}
      names={data?.names}
      setState={async state => {
        await api.call('updateAdminReport', { id, body: { state } })
        await queries.invalidateQueries({ queryKey: keys.allAdminReports })
      }}
    >
      {!open && (
        <button type="button" className="button secondary small" onClick={() => setOpen(true)}>
          {t('report.show')}
        </button>
      )}
      {!user.bot && (
        <Link
          className="button secondary small"
          to={`/administration/users/${user.id}`}
          // The page offers to resolve the report after an act.
          state={{ reportId: id }}
          aria-label={`${t('report.account')}: ${userText(user)}`}
        >
          {t('report.account')}
        </Link>
      )}
      <ErrorText error={error} />
    </ReportCard>
  )
}
