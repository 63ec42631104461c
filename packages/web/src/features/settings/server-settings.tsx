import { permissionFor } from '@gatehouse/protocol/permissions'
import { useParams } from 'react-router'
import { useOpenReports, useServers } from '../../core/api/queries.ts'
import { useSettingsT, withSettingsTexts } from '../../core/i18n/settings-i18n.tsx'
import { canManageMembers, canSeeReports, hasServerPermission } from '../../core/servers/permissions.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { type Section, SettingsPage } from '../../ui/settings-page.tsx'
import { Roles } from './roles.tsx'
import { ServerAuditLog } from './server-audit-log.tsx'
import { ServerBans } from './server-bans.tsx'
import { ServerBots } from './server-bots.tsx'
import { ServerInvites } from './server-invites.tsx'
import { ServerMembers } from './server-members.tsx'
import { ServerOverview } from './server-overview.tsx'
import { ServerReports } from './server-reports.tsx'

export const ServerSettings = withSettingsTexts(function ServerSettings() {
  const t = useSettingsT()
  const { serverId = '', section } = useParams()
  const server = useServers().find(({ id }) => id === serverId)
  const openReports = useOpenReports(server)
  const sections: Section[] = []
  if (server && hasServerPermission(server, permissionFor.changeServer)) {
    const render = () => <ServerOverview server={server} />
    sections.push({ id: 'overview', label: t('settings.overview'), icon: 'settings', render })
  }
  if (server && hasServerPermission(server, permissionFor.manageRoles)) {
    const render = () => <Roles server={server} />
    sections.push({ id: 'roles', label: t('member.roles'), icon: 'people', render })
  }
  if (server && canManageMembers(server)) {
    const render = () => <ServerMembers server={server} />
    sections.push({ id: 'members', label: t('nav.members'), icon: 'user', render })
  }
  if (server && canSeeReports(server)) {
    const render = () => <ServerReports server={server} />
    sections.push({ id: 'reports', label: t('report.list'), icon: 'flag', count: openReports, render })
  }
  if (server && hasServerPermission(server, permissionFor.manageBans)) {
    const render = () => <ServerBans server={server} />
    sections.push({ id: 'bans', label: t('ban.list'), icon: 'lock', render })
  }
  if (server && hasServerPermission(server, permissionFor.manageInvites)) {
    const render = () => <ServerInvites server={server} />
    sections.push({ id: 'invites', label: t('server.invites'), icon: 'link', render })
  }
  if (server && hasServerPermission(server, permissionFor.manageBots)) {
    const render = () => <ServerBots server={server} />
    sections.push({ id: 'bots', label: t('server.integrations'), icon: 'bot', render })
  }
  if (server && hasServerPermission(server, permissionFor.viewAuditLog)) {
    const render = () => <ServerAuditLog server={server} />
    sections.push({ id: 'audit-log', label: t('audit.title'), icon: 'clock', render })
  }
  if (!server || sections.length === 0) return <NotFound />
  return (
    <SettingsPage
      title={server.name}
      base={`/channels/${serverId}/settings`}
      back={`/channels/${serverId}`}
      current={section}
      sections={sections}
    />
  )
})
