import type { Select } from '@gatehouse/protocol/components'
import { type RefObject, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem, type Selection } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useAllMembers } from '../../core/servers/use-all-members.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadMoreMembers } from '../../ui/load-more-members.tsx'
import { listSelectCandidates, mentionedUser, searchCandidates, selectsMembers } from '../commands/index.ts'
import '../../ui/select-list.css'

interface SelectPopoverProps {
  label: string
  menu: Select
  selected: readonly string[]
  min: number
  max: number
  trigger: RefObject<HTMLElement | null>
  onSubmit(values: readonly string[]): void
  onClose(): void
}

/**
 * The open list of a select menu. A menu for one value is sent at the choice, others with a button. It has its own
 * chunk, which select-menu.tsx loads.
 */
export function SelectPopover(props: SelectPopoverProps) {
  const { label, menu, selected, min, max, trigger, onSubmit, onClose } = props
  const t = useT()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(selected)
  const channel = useChannelContext()
  const isUserMenu = selectsMembers(menu)
  const mentioned = isUserMenu ? mentionedUser(query) : undefined
  const { members, more } = useAllMembers(
    isUserMenu ? channel.channel.serverId : null,
    mentioned === undefined ? chosen : [...chosen, mentioned],
  )
  const candidates = listSelectCandidates(menu, { ...channel, members }, t)
  const isSearchable = menu.type !== 'string_select'
  const isSingle = max === 1
  const shown = isSearchable ? searchCandidates(candidates, query) : candidates
  const isCandidate = (id: string) => candidates.some(({ value }) => value === id)
  // A default value may be gone, or hidden from the user.
  const present = chosen.filter(isCandidate)
  const isFull = !isSingle && present.length >= max

  function change(keys: Selection) {
    if (keys === 'all') return
    const values = [...keys].map(String)
    if (isSingle) onSubmit(values)
    // What is not loaded yet remains.
    else if (values.length <= max) setChosen([...values, ...chosen.filter(id => !isCandidate(id))])
  }

  const list = (
    <ListBox
      className="select-options"
      aria-label={label}
      items={shown}
      autoFocus={isSearchable ? false : 'first'}
      selectionMode={isSingle ? 'single' : 'multiple'}
      disallowEmptySelection={isSingle && min > 0}
      selectedKeys={present}
      disabledKeys={isFull ? candidates.map(({ value }) => value).filter(id => !present.includes(id)) : []}
      onSelectionChange={change}
      escapeKeyBehavior="none"
      renderEmptyState={() => <p className="suggestions-empty">{t('command.noMatch')}</p>}
    >
      {({ value, text, detail, avatar }) => (
        <ListBoxItem id={value} textValue={text} className="select-option">
          {avatar && <Avatar src={avatar} name={text} size={28} />}
          <span className="suggestion-text">
            <span>{text}</span>
            {detail && <small>{detail}</small>}
          </span>
          <Icon name="check" />
        </ListBoxItem>
      )}
    </ListBox>
  )

  return (
    <Popover
      triggerRef={trigger}
      isOpen
      onOpenChange={open => open || onClose()}
      placement="bottom start"
      className="popover select-popover"
    >
      <Dialog aria-label={label} className="select-dialog">
        {isSearchable ? (
          <Autocomplete inputValue={query} onInputChange={setQuery}>
            <SearchField aria-label={t('select.search')} autoFocus>
              <Input className="input" dir="auto" placeholder={t('select.search')} />
            </SearchField>
            {list}
          </Autocomplete>
        ) : (
          list
        )}
        {more && (
          <div className="select-footer">
            <LoadMoreMembers more={more} />
          </div>
        )}
        {!isSingle && (
          <div className="select-footer">
            <span className="hint" role="status">
              {min === max
                ? t('select.exactly', { selected: present.length, max })
                : t('select.range', { selected: present.length, min, max })}
            </span>
            <button
              type="button"
              className="button small"
              disabled={present.length < min || present.length > max}
              onClick={() => onSubmit(present)}
            >
              {t('select.send')}
            </button>
          </div>
        )}
      </Dialog>
    </Popover>
  )
}
