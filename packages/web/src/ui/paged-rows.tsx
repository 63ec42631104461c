import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { ErrorText } from './error-text.tsx'

interface PagedRowsProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<Item[]>>
  /** Shown for a list without rows. */
  empty: ReactNode
  /** The row of the item, with a key. */
  children(item: Item): ReactNode
}

/** The rows of a list that has pages, and a button that loads the next one. */
export function PagedRows<Item>({ query, empty, children }: PagedRowsProps<Item>) {
  const t = useSettingsT()
  const { data, error, hasNextPage, isFetching, fetchNextPage } = query
  const items = data?.pages.flat()
  return (
    <>
      <ErrorText error={error} />
      {items?.length === 0 && empty}
      {!items && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows">{items?.map(children)}</ul>
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
    </>
  )
}
