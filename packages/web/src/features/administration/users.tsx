import type { AdminUser } from '@gatehouse/protocol/administration'
import { maxEmail, maxListLimit } from '@gatehouse/protocol/limits'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel } from '../../ui/settings-page.tsx'

const pageSize = maxListLimit

/** All users of the instance, newest first, with a search. */
export function Users() {
  const t = useSettingsT()
  const { api } = useClient()
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: keys.adminUsers(query),
    queryFn: ({ pageParam, signal }) =>
      api.call('listAdminUsers', {
        query: { limit: pageSize, before: pageParam || undefined, query: query || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: page => (page.length < pageSize ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })
  const users = data?.pages.flat()
  function search(event: FormEvent) {
    event.preventDefault()
    setQuery(text.trim())
  }
  return (
    <Panel>
      <form onSubmit={search}>
        <Field
          label={t('admin.find')}
          value={text}
          onChange={setText}
          type="search"
          spellCheck={false}
          maxLength={maxEmail}
          hint={t('admin.findHint')}
        />
        <div className="line">
          <button type="submit" className="button secondary small">
            {t('admin.search')}
          </button>
        </div>
      </form>
      <ErrorText error={error} />
      {users?.length === 0 && <EmptyState icon="people" text={t('admin.nobody')} />}
      {!users && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows">
        {users?.map(user => (
          <UserRow key={user.id} user={user} />
        ))}
      </ul>
      {hasNextPage && (
        <button
          type="button"
          className="button secondary"
          disabled={isFetching}
          onClick={() => void fetchNextPage()}
        >
          {t('ban.more')}
        </button>
      )}
    </Panel>
  )
}

function UserRow({ user }: { user: AdminUser }) {
  const t = useSettingsT()
  return (
    <li className="row-card">
      <Avatar src={user.avatar} name={user.displayName} size={40} />
      <div className="grow">
        <strong>{user.displayName}</strong> <UserBadges user={user} />
        <p className="hint">
          {user.username} · {user.email}
        </p>
      </div>
      <Link
        className="button secondary small"
        to={`/administration/users/${user.id}`}
        aria-label={`${t('admin.details')}: ${user.username}`}
      >
        {t('admin.details')}
      </Link>
    </li>
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
