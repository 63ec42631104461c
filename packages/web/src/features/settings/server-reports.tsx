import { permissionFor } from '@gatehouse/protocol/permissions'
import type { ReportDetails, ReportState } from '@gatehouse/protocol/reports'
import type { UserServer } from '@gatehouse/protocol/servers'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useMembers } from '../../core/api/queries.ts'
import { reportsQuery } from '../../core/api/query-options.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { hasServerPermission } from '../../core/servers/permissions.ts'
import { ReportCard, ReportList, useOfferToResolve } from '../../ui/report-card.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { userText } from '../../ui/user-name.tsx'
import { useMemberActions } from '../servers/index.ts'

/** The reports of a server, newest first. */
export function ServerReports({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api } = useClient()
  const [state, setState] = useState<ReportState | undefined>('open')
  const query = useInfiniteQuery(reportsQuery(api, server.id, state))
  return (
    <ReportList hint={t('report.queueHint')} state={state} onStateChange={setState} query={query}>
      {report => <ServerReport key={report.id} server={server} report={report} />}
    </ReportList>
  )
}

function ServerReport({ server, report }: { server: UserServer; report: ReportDetails }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const { data: members } = useMembers(server.id)
  const { id, user, channelId, messageId, message, names, messageExists } = report
  const name = userText(user)
  const reload = () => queries.invalidateQueries({ queryKey: keys.reports(server.id) })
  const offerToResolve = useOfferToResolve()
  async function setState(state: ReportState) {
    await api.call('updateReport', { id: server.id, reportId: id, body: { state } })
    await reload()
  }
  const offer = () => offerToResolve(report, () => setState('resolved'))
  const { actions, dialog } = useMemberActions({
    server,
    user,
    member: user.webhookId ? undefined : members?.find(member => member.user.id === user.id),
    onDone: offer,
  })
  const mayDelete = hasServerPermission(server, permissionFor.deleteMessageOfOthers)
  return (
    <ReportCard report={report} message={message} names={names} setState={setState}>
      {messageExists && channelId !== null && messageId !== null && (
        <>
          <Link
            className="button secondary small"
            to={`/channels/${server.id}/${channelId}`}
            state={{ messageId }}
          >
            {t('report.goTo')}
          </Link>
          {mayDelete && (
            <button
              type="button"
              className="button secondary small"
              onClick={() =>
                confirm({
                  title: t('chat.deleteTitle'),
                  text: t('report.deleteConfirm', { name }),
                  action: t('action.delete'),
                  run: async () => {
                    await api.call('deleteMessage', { id: channelId, messageId })
                    await reload()
                    offer()
                  },
                })
              }
            >
              {t('chat.deleteTitle')}
            </button>
          )}
        </>
      )}
      {!user.webhookId &&
        actions.map(({ label, run }) => (
          <button
            key={label}
            type="button"
            className="button secondary small"
            aria-label={`${label}: ${name}`}
            onClick={run}
          >
            {label}
          </button>
        ))}
      {dialog}
    </ReportCard>
  )
}
