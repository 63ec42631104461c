import type { AdminUserDetails, UpdateAdminUserBody } from '@gatehouse/protocol/administration'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { isMissing } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { useOfferToResolve } from '../../ui/report-card.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { UserName, userText } from '../../ui/user-name.tsx'
import { browserName, type Proof } from '../identity/index.ts'
import { useAct } from './acts.tsx'
import { UserBadges } from './users.tsx'

/** A user of the instance, with what an administrator can do. */
export function UserDetails({ id }: { id: string }) {
  const t = useSettingsT()
  const { api } = useClient()
  const { data: user, error } = useQuery({
    queryKey: keys.adminUser(id),
    queryFn: ({ signal }) => api.call('getAdminUser', { id, signal }),
    staleTime: 0,
  })
  return (
    <>
      <p>
        <Link to="/administration/users">{t('admin.backToUsers')}</Link>
      </p>
      {isMissing(error) ? <EmptyState icon="people" text={t('admin.nobody')} /> : <ErrorText error={error} />}
      {!user && !error && <span className="skeleton skeleton-row" />}
      {user && <Account user={user} />}
      {user && <Sessions user={user} />}
      {user && <Servers user={user} />}
    </>
  )
}

interface UserProps {
  user: AdminUserDetails
}

/** The acts on a user. */
function useUserActs(user: AdminUserDetails) {
  const { id } = user
  const name = userText(user)
  const t = useSettingsT()
  const { api, queries } = useClient()
  const act = useAct()
  const offerToResolve = useOfferToResolve()
  const reportId: string | undefined = useLocation().state?.reportId
  async function onDone() {
    await queries.invalidateQueries({ queryKey: keys.allAdminUsers })
    if (reportId === undefined) return
    offerToResolve({ user, state: 'open' }, async () => {
      await api.call('updateAdminReport', { id: reportId, body: { state: 'resolved' } })
      await queries.invalidateQueries({ queryKey: keys.allAdminReports })
    })
  }
  const change =
    (changes: UpdateAdminUserBody) =>
    async (proof: Proof, { reason }: { reason: string }): Promise<void> => {
      await api.call('updateAdminUser', { id, reason, body: { ...changes, ...proof } })
      await onDone()
    }
  const isDisabled = user.disabledAt !== null
  const isAdministrator = user.administrator
  return {
    disable: () =>
      act({
        title: t(isDisabled ? 'admin.enable' : 'admin.disable'),
        text: t(isDisabled ? 'admin.enableText' : 'admin.disableText', { name }),
        isHarmless: isDisabled,
        run: change({ disabled: !isDisabled }),
      }),
    promote: () =>
      act({
        title: t(isAdministrator ? 'admin.demote' : 'admin.promote'),
        text: t(isAdministrator ? 'admin.demoteText' : 'admin.promoteText', { name }),
        run: change({ administrator: !isAdministrator }),
      }),
    confirmEmail: () =>
      act({
        title: t('admin.confirmEmail'),
        text: t('admin.confirmEmailText', { email: user.email }),
        isHarmless: true,
        run: change({ emailVerified: true }),
      }),
    endSessions: () =>
      act({
        title: t('admin.endSessions'),
        text: t('admin.endSessionsText', { name }),
        run: async (proof, { reason }) => {
          await api.call('endAdminUserSessions', { id, reason, body: proof ?? {} })
          await onDone()
        },
      }),
    resetSecondFactor: () =>
      act({
        title: t('admin.resetSecondFactor'),
        text: t('admin.resetSecondFactorText', { name }),
        run: async (proof, { reason }) => {
          await api.call('resetAdminUserSecondFactor', { id, reason, body: proof ?? {} })
          await onDone()
        },
      }),
  }
}

function Account({ user }: UserProps) {
  const { t, dates } = useSettingsI18n()
  const acts = useUserActs(user)
  const lines = [
    user.id,
    `${user.email} · ${t(user.emailVerified ? 'admin.emailConfirmed' : 'admin.emailUnconfirmed')}`,
    user.secondFactor ? t('admin.hasSecondFactor') : undefined,
    t('admin.registered', { date: dates.full(user.createdAt) }),
    user.lastSeenAt === null ? undefined : t('admin.lastSeen', { date: dates.full(user.lastSeenAt) }),
    user.disabledAt === null ? undefined : t('admin.disabledSince', { date: dates.full(user.disabledAt) }),
  ]
  return (
    <Panel>
      <div className="row-card">
        <Avatar src={user.avatar} name={user.displayName} size={40} />
        <div className="grow">
          <UserName user={user} /> <UserBadges user={user} />
          {lines.map(
            line =>
              line && (
                <p key={line} className="hint">
                  {line}
                </p>
              ),
          )}
        </div>
      </div>
      <div className="line">
        <button type="button" className="button secondary small" onClick={acts.disable}>
          {t(user.disabledAt === null ? 'admin.disable' : 'admin.enable')}
        </button>
        <button type="button" className="button secondary small" onClick={acts.promote}>
          {t(user.administrator ? 'admin.demote' : 'admin.promote')}
        </button>
        {!user.emailVerified && (
          <button type="button" className="button secondary small" onClick={acts.confirmEmail}>
            {t('admin.confirmEmail')}
          </button>
        )}
        {user.secondFactor && (
          <button type="button" className="button secondary small" onClick={acts.resetSecondFactor}>
            {t('admin.resetSecondFactor')}
          </button>
        )}
        {user.sessions.length > 0 && (
          <button type="button" className="button secondary small" onClick={acts.endSessions}>
            {t('admin.endSessions')}
          </button>
        )}
      </div>
    </Panel>
  )
}

function Sessions({ user }: UserProps) {
  const { t, dates } = useSettingsI18n()
  return (
    <Panel title={t('settings.sessions')}>
      {user.sessions.length === 0 && <p className="hint">{t('admin.noSessions')}</p>}
      <ul className="rows">
        {user.sessions.map(({ id, userAgent, ip, lastUsedAt }) => (
          <li key={id} className="row-card">
            <div className="grow">
              <strong>{browserName(userAgent) ?? t('settings.unknownBrowser')}</strong>
              <p className="hint">
                {t('settings.lastUsed', { date: dates.full(lastUsedAt) })} · {ip}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Servers({ user }: UserProps) {
  const t = useSettingsT()
  return (
    <Panel title={t('admin.servers')}>
      {user.servers.length === 0 && <p className="hint">{t('admin.noServers')}</p>}
      <ul className="rows">
        {user.servers.map(({ id, name }) => (
          <li key={id} className="row-card">
            <div className="grow">
              <strong>{name}</strong>
              <p className="hint">{id}</p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
