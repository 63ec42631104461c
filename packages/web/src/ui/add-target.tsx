import { useRef, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { useSettingsT } from '../core/i18n/settings-i18n.tsx'
import type { MoreMembers } from '../core/servers/use-all-members.ts'
import { Icon } from './icon.tsx'
import { LoadMoreMembers } from './load-more-members.tsx'
import './select-list.css'

interface Option {
  id: string
  name: string
  /** The username of a member. */
  detail?: string
}

interface AddTargetProps {
  label: string
  /** The text of the button. */
  action?: string
  groups: readonly { label: string; options: readonly Option[] }[]
  more?: MoreMembers
  onAdd(id: string): void
}

const maxShown = 50

/** A button that opens a searchable list of what permissions are for. Shows nothing if there is nothing to add. */
export function AddTarget({ label, action, groups, more, onAdd }: AddTargetProps) {
  const t = useSettingsT()
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const options: Option[] = groups.flatMap(group =>
    group.options.map(option => (groups.length > 1 ? { detail: group.label, ...option } : option)),
  )
  if (options.length === 0) return null
  const typed = query.trim().toLowerCase()
  const found = options.filter(({ name, detail = '' }) =>
    [name, detail].some(text => text.toLowerCase().includes(typed)),
  )
  function toggle(open: boolean) {
    setOpen(open)
    setQuery('')
  }
  return (
    <div className="line">
      <button
        ref={trigger}
        type="button"
        className="button secondary"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => toggle(true)}
      >
        <Icon name="plus" />
        {action ?? `${t('action.add')}: ${label}`}
      </button>
      {isOpen && (
        <Popover
          triggerRef={trigger}
          isOpen
          onOpenChange={toggle}
          placement="bottom start"
          className="popover select-popover"
        >
          <Dialog aria-label={label} className="select-dialog">
            <Autocomplete inputValue={query} onInputChange={setQuery}>
              <SearchField aria-label={t('select.search')} autoFocus>
                <Input className="input" dir="auto" placeholder={t('select.search')} />
              </SearchField>
              <ListBox
                className="select-options"
                aria-label={label}
                items={found.slice(0, maxShown)}
                selectionMode="single"
                selectedKeys={[]}
                escapeKeyBehavior="none"
                onSelectionChange={keys => {
                  toggle(false)
                  for (const id of keys === 'all' ? [] : keys) onAdd(String(id))
                }}
                renderEmptyState={() => <p className="suggestions-empty">{t('command.noMatch')}</p>}
              >
                {({ id, name, detail }) => (
                  <ListBoxItem id={id} textValue={name} className="select-option">
                    <span className="suggestion-text">
                      <span>{name}</span>
                      {detail && <small>{detail}</small>}
                    </span>
                  </ListBoxItem>
                )}
              </ListBox>
            </Autocomplete>
            {more && (
              <div className="select-footer">
                <LoadMoreMembers more={more} />
              </div>
            )}
          </Dialog>
        </Popover>
      )}
    </div>
  )
}
