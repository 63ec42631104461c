import type { AdminUser } from '@gatehouse/protocol/administration'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { UserName } from '../../ui/user-name.tsx'
import { SearchList } from './search-list.tsx'

/** All users of the instance. */
export function Users() {
  const t = useSettingsT()
  const { api } = useClient()
  return (
    <SearchList
      label={t('admin.find')}
      hint={t('admin.findHint')}
      none={t('admin.nobody')}
      keyOf={keys.adminUsers}
      load={(query, signal) => api.call('listAdminUsers', { query, signal })}
    >
      {user => <UserRow user={user} />}
    </SearchList>
  )
}

function UserRow({ user }: { user: AdminUser }) {
  const t = useSettingsT()
  return (
    <>
      <Avatar src={user.avatar} name={user.displayName} size={40} />
      <div className="grow">
        <UserName user={user} /> <UserBadges user={user} />
        <p className="hint">{user.email}</p>
      </div>
      <Link
        className="button secondary small"
        to={`/administration/users/${user.id}`}
        aria-label={`${t('admin.details')}: ${user.username}`}
      >
        {t('admin.details')}
      </Link>
    </>
  )
}

export function UserBadges({ user }: { user: AdminUser }) {
  const t = useSettingsT()
  return (
    <>
      {user.administrator && <span className="badge">{t('admin.administrator')}</span>}{' '}
      {user.disabledAt !== null && <span className="badge">{t('admin.disabled')}</span>}
    </>
  )
}
