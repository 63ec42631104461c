import type { BoundApplication } from '@gatehouse/protocol/applications'
import type { UserServer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { boundApplicationsQuery } from '../../core/api/query-options.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'

/** The applications that are bound to a server, which its owner keeps or ends (sign-in/binding-decision). */
export function BoundApplications({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const query = boundApplicationsQuery(api, server.id)
  const { data: applications, error } = useQuery(query)
  const decide = (
    operation: 'keepBoundApplication' | 'endBoundApplication',
    { id: applicationId, name }: BoundApplication,
  ) => {
    const isHarmless = operation === 'keepBoundApplication'
    confirm({
      title: t(isHarmless ? 'bound.keep' : 'bound.end'),
      text: t(isHarmless ? 'bound.keepConfirm' : 'bound.endConfirm', { name }),
      isHarmless,
      run: async () => {
        await api.call(operation, { id: server.id, applicationId })
        await queries.invalidateQueries({ queryKey: query.queryKey })
      },
    })
  }
  if (applications?.length === 0) return null
  return (
    <Panel title={t('bound.title')} hint={t('bound.hint')}>
      <ErrorText error={error} />
      <ul className="rows">
        {applications?.map(application => (
          <li key={application.id} className="row-card">
            <Avatar src={application.icon} name={application.name} size={40} />
            <div className="grow">
              <strong>
                <bdi>{application.name}</bdi>
              </strong>
              <p className="hint">{`@${application.owner.username} · ${application.id}`}</p>
              <p className="hint">
                {t(application.state === 'suspended' ? 'bound.suspended' : 'bound.active')}
              </p>
            </div>
            {application.state === 'suspended' && (
              <button
                type="button"
                className="button secondary small"
                aria-label={`${t('bound.keep')}: ${application.name}`}
                onClick={() => decide('keepBoundApplication', application)}
              >
                {t('bound.keep')}
              </button>
            )}
            <button
              type="button"
              className="button secondary small"
              aria-label={`${t('bound.end')}: ${application.name}`}
              onClick={() => decide('endBoundApplication', application)}
            >
              {t('bound.end')}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Those that the new owner of the server will decide about. */
export function OfferedApplications({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { data: applications = [], error } = useQuery(boundApplicationsQuery(api, server.id))
  return (
    <>
      <ErrorText error={error} />
      {applications.length > 0 && (
        <div>
          <p className="hint">{t('bound.offered')}</p>
          <ul>
            {applications.map(({ id, name, owner }) => (
              <li key={id}>
                <bdi>{name}</bdi> <span className="hint">{`@${owner.username} · ${id}`}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
