import { maxListLimit, securityLogDays } from '@gatehouse/protocol/limits'
import { useInfiniteQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { PagedRows } from '../../ui/paged-rows.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { browserName } from '../identity/index.ts'

/** What happened to the sign-in of the user, newest first. */
export function SecurityLog() {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const query = useInfiniteQuery({
    queryKey: keys.securityLog,
    queryFn: ({ pageParam, signal }) =>
      api.call('listSecurityLog', { query: { before: pageParam || undefined, limit: maxListLimit }, signal }),
    initialPageParam: '',
    getNextPageParam: page => (page.length < maxListLimit ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })
  return (
    <Panel title={t('securityLog.title')} hint={t('securityLog.hint', { days: securityLogDays })}>
      <PagedRows query={query} empty={<p className="hint">{t('securityLog.none')}</p>}>
        {({ id, kind, targetName, ip, userAgent, createdAt }) => (
          <li key={id} className="row-card">
            <div className="grow">
              <strong>{t(`securityLog.${kind}`, { name: targetName ?? '' })}</strong>
              <p className="hint">
                <time dateTime={createdAt}>{dates.full(createdAt)}</time>
                {[browserName(userAgent), ip].map(text => text && ` · ${text}`)}
              </p>
            </div>
          </li>
        )}
      </PagedRows>
    </Panel>
  )
}
