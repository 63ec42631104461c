import { useParams } from 'react-router'
import { useSelf } from '../../core/api/queries.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { SettingsPage } from '../../ui/settings-page.tsx'
import { IdentityConfirmationProvider, useSecondFactors } from '../identity/index.ts'
import { InstanceAuditLog } from '../settings/index.ts'
import { ActProvider } from './acts.tsx'
import { Health } from './health.tsx'
import { ReportQueue } from './report-queue.tsx'
import { Applications, Servers } from './servers.tsx'
import { Settings } from './settings.tsx'
import { UserDetails } from './user-details.tsx'
import { Users } from './users.tsx'

export const Administration = withSettingsTexts(function Administration() {
  const t = useSettingsT()
  const { administrator } = useSelf()
  const { section, userId } = useParams()
  const { data: factors } = useSecondFactors()
  if (!administrator) return <NotFound />
  return (
    <IdentityConfirmationProvider factors={factors}>
      <ActProvider>
        <SettingsPage
          title={t('nav.administration')}
          base="/administration"
          back={userId === undefined ? '/' : '/administration/users'}
          current={section}
          sections={[
            {
              id: 'users',
              label: t('admin.users'),
              icon: 'people',
              render: () => (userId === undefined ? <Users /> : <UserDetails key={userId} id={userId} />),
            },
            { id: 'reports', label: t('report.list'), icon: 'flag', render: () => <ReportQueue /> },
            { id: 'servers', label: t('admin.servers'), icon: 'chat', render: () => <Servers /> },
            {
              id: 'applications',
              label: t('admin.applications'),
              icon: 'bot',
              render: () => <Applications />,
            },
            { id: 'settings', label: t('admin.settings'), icon: 'settings', render: () => <Settings /> },
            { id: 'health', label: t('admin.health'), icon: 'check', render: () => <Health /> },
            { id: 'audit-log', label: t('audit.title'), icon: 'clock', render: () => <InstanceAuditLog /> },
          ]}
        />
      </ActProvider>
    </IdentityConfirmationProvider>
  )
})
