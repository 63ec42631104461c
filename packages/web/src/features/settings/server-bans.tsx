import { maxListLimit } from '@gatehouse/protocol/limits'
import type { Ban, UserServer } from '@gatehouse/protocol/servers'
import { useInfiniteQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PagedRows } from '../../ui/paged-rows.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { UserName, userText } from '../../ui/user-name.tsx'

const pageSize = maxListLimit

/** The users who are banned from a server, with a button to end each ban. */
export function ServerBans({ server }: { server: UserServer }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const query = useInfiniteQuery({
    queryKey: keys.bans(server.id),
    queryFn: ({ pageParam, signal }) =>
      api.call('listBans', {
        id: server.id,
        query: { limit: pageSize, after: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: page => (page.length < pageSize ? undefined : page.at(-1)?.user.id),
    staleTime: 0,
  })
  const confirmUnban = ({ user }: Ban) =>
    confirm({
      title: t('ban.end'),
      text: t('ban.endConfirm', { name: userText(user) }),
      isHarmless: true,
      run: async () => {
        await api.call('deleteBan', { id: server.id, userId: user.id })
        await queries.invalidateQueries({ queryKey: keys.bans(server.id) })
      },
    })
  return (
    <Panel hint={t('ban.hint')}>
      <PagedRows
        query={query}
        empty={<EmptyState icon="lock" title={t('ban.none')} text={t('ban.noneHint')} />}
      >
        {ban => <BanRow key={ban.user.id} ban={ban} onUnban={() => confirmUnban(ban)} />}
      </PagedRows>
    </Panel>
  )
}

function BanRow({ ban, onUnban }: { ban: Ban; onUnban(): void }) {
  const { t, dates } = useSettingsI18n()
  const { user, reason, moderator, createdAt } = ban
  return (
    <li className="row-card">
      <Avatar src={user.avatar} name={user.displayName} size={40} />
      <div className="grow">
        <UserName user={user} /> {user.bot && <span className="badge">{t('chat.bot')}</span>}
        <p>{reason ?? t('ban.noReason')}</p>
        {moderator && createdAt !== null && (
          <p className="hint">{t('ban.by', { name: userText(moderator), date: dates.full(createdAt) })}</p>
        )}
      </div>
      <button
        type="button"
        className="button secondary small"
        aria-label={`${t('ban.end')}: ${userText(user)}`}
        onClick={onUnban}
      >
        {t('ban.end')}
      </button>
    </li>
  )
}
