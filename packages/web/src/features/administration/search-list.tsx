import type { AdminListQuery } from '@gatehouse/protocol/administration'
import { maxEmail, maxListLimit } from '@gatehouse/protocol/limits'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field } from '../../ui/field.tsx'
import { PagedRows } from '../../ui/paged-rows.tsx'
import { Panel } from '../../ui/settings-page.tsx'

const pageSize = maxListLimit

interface SearchListProps<Item> {
  label: string
  hint: string
  /** The text if nothing was found. */
  none: string
  keyOf(query: string): readonly string[]
  load(query: AdminListQuery, signal: AbortSignal): Promise<Item[]>
  children(item: Item): ReactNode
}

/** A list of the whole instance, newest first, with a search. */
export function SearchList<Item extends { id: string }>({
  label,
  hint,
  none,
  keyOf,
  load,
  children,
}: SearchListProps<Item>) {
  const t = useSettingsT()
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const found = useInfiniteQuery({
    queryKey: keyOf(query),
    queryFn: ({ pageParam, signal }) =>
      load(
        { limit: pageSize, ...(pageParam ? { before: pageParam } : {}), ...(query ? { query } : {}) },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: page => (page.length < pageSize ? undefined : page.at(-1)?.id),
    staleTime: 0,
  })
  function search(event: FormEvent) {
    event.preventDefault()
    setQuery(text.trim())
  }
  return (
    <Panel>
      <form className="stack" onSubmit={search}>
        <Field
          label={label}
          value={text}
          onChange={setText}
          type="search"
          spellCheck={false}
          maxLength={maxEmail}
          hint={hint}
        />
        <div className="line">
          <button type="submit" className="button secondary small">
            {t('admin.search')}
          </button>
        </div>
      </form>
      <PagedRows query={found} empty={<EmptyState icon="people" text={none} />}>
        {item => (
          <li key={item.id} className="row-card">
            {children(item)}
          </li>
        )}
      </PagedRows>
    </Panel>
  )
}
