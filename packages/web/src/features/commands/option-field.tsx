import type { AutocompleteBody } from '@gatehouse/protocol/interactions'
import { type ChangeEvent, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import {
  choiceName,
  type RunnableCommand,
  type RunnableOption,
  toEnteredOptions,
} from '../../core/commands.ts'
import { useI18n, useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { type MoreMembers, useAllMembers } from '../../core/servers/use-all-members.ts'
import { useStore } from '../../core/stores/store.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { comboboxProps, Suggestions } from '../../ui/suggestions.tsx'
import { type Candidate, filterCandidates, hasMembers, listCandidates, mentionedUser } from './candidates.ts'
import { createOptionSuggestions } from './option-suggestions.ts'
import { type Entries, type Entry, parseCommand } from './option-values.ts'

interface OptionFieldProps {
  command: RunnableCommand
  option: RunnableOption
  entries: Entries
  problem: string | undefined
  onFocus(): void
  onChange(entry: Entry): void
  onSubmit(): void
}

/** The item that loads more members. */
const loadMore = 'more'

/** The field of an option: free text, or a combobox if the option has candidates or the bot suggests values. */
export function OptionField(props: OptionFieldProps) {
  const { command, option, entries, problem, onFocus, onChange, onSubmit } = props
  const { t, language } = useI18n()
  const id = useId()
  const channel = useChannelContext()
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [open, setOpen] = useState(false)
  const entry = entries[option.name]
  const isSelected = entry?.value !== undefined
  const text = entry?.text ?? ''
  // An input element would remove the line breaks of a pasted text.
  const [isMultiline] = useState(text.includes('\n'))
  const isMember = hasMembers[option.type]
  const mentioned = isMember && !isSelected ? mentionedUser(text) : undefined
  const { members, more } = useAllMembers(
    isMember ? channel.channel.serverId : null,
    mentioned === undefined ? [] : [mentioned],
  )
  const candidates = useMemo(
    () => listCandidates(option, isMember ? { ...channel, members } : channel, t),
    [option, channel, isMember, members, t],
  )
  const mentionedCandidate = mentioned && candidates?.find(({ value }) => value === mentioned)
  const isSuggested = option.autocomplete === true && !isMultiline
  const asks = isSuggested && open && !isSelected
  const suggestions = useOptionSuggestions(
    asks ? autocompleteBody(command, option, entries, channel.channel.id) : undefined,
  )
  const { choices } = suggestions.current
  const [active, setActive] = useState(0)
  // Enter was pressed before the suggestions for the text have arrived.
  const [takesFirst, setTakesFirst] = useState(false)
  const items = listItems()
  const activeIndex = Math.min(active, Math.max(0, items.length - 1))

  // After every render, because a field that changes at the same time overwrites this entry.
  useEffect(() => {
    if (mentionedCandidate) onChange({ text: mentionedCandidate.text, value: mentionedCandidate.value })
  })

  useEffect(() => {
    if (!takesFirst || suggestions.current.isAsking) return
    setTakesFirst(false)
    if (items[0]) select(items[0])
    else onSubmit()
  })

  function listItems(): (Candidate | typeof loadMore)[] {
    if (asks)
      return (choices ?? []).map(choice => ({ text: choiceName(choice, language), value: choice.value }))
    if (!open || !candidates) return []
    const found = filterCandidates(candidates, isSelected ? '' : text)
    return more && !isSelected && mentioned === undefined ? [...found, loadMore] : found
  }

  function select(candidate: Candidate | typeof loadMore) {
    if (candidate === loadMore) return more?.busy ? undefined : more?.load()
    onChange({ text: candidate.text, value: candidate.value })
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    const item = items[activeIndex]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!candidates && !isSuggested) return
      event.preventDefault()
      if (!open) {
        setActive(0)
        return setOpen(true)
      }
      suggestions.keep()
      const isDown = event.key === 'ArrowDown'
      if (items.length === 0) return setActive(0)
      return setActive((activeIndex + (isDown ? 1 : -1) + items.length) % items.length)
    }
    if (event.key === 'Escape' && items.length > 0) {
      event.preventDefault()
      return setOpen(false)
    }
    const selectsItem = text !== '' || active > 0 || (option.required === true && event.key === 'Enter')
    // Items for an earlier text must not be selected.
    if (selectsItem && asks && suggestions.current.isAsking && event.key === 'Enter') {
      event.preventDefault()
      return setTakesFirst(true)
    }
    const isSelectKey = event.key === 'Enter' || (event.key === 'Tab' && item !== loadMore)
    if (item && !isSelected && selectsItem && isSelectKey) {
      event.preventDefault()
      select(item)
      return event.key === 'Tab' ? focusNext(input.current) : undefined
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      onSubmit()
    }
  }

  const field = {
    ref: input,
    id,
    'data-option': option.name,
    className: 'option-input',
    autoComplete: 'off',
    spellCheck: option.type === 'string' && !candidates && !isSuggested,
    inputMode: inputModeOf(option),
    dir: 'auto',
    'aria-required': option.required ?? false,
    'aria-invalid': Boolean(problem),
    'aria-describedby': `${id}-about`,
    ...(candidates || isSuggested ? comboboxProps(`${id}-list`, items.length, activeIndex) : {}),
    style: { inlineSize: `${Math.min(36, Math.max(6, text.length + 2))}ch` },
    value: text,
    onFocus() {
      setOpen(true)
      setActive(0)
      onFocus()
    },
    onBlur() {
      setOpen(false)
      setTakesFirst(false)
    },
    onChange(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) {
      setOpen(true)
      setActive(0)
      setTakesFirst(false)
      onChange({ text: event.target.value })
    },
    onKeyDown,
  } as const

  return (
    <div className={problem ? 'option invalid' : 'option'}>
      <label htmlFor={id} className="option-name">
        {option.label ?? option.name}
        {option.required && <span aria-hidden="true"> *</span>}
      </label>
      {isMultiline ? <textarea {...field} rows={3} /> : <input {...field} />}
      <span
        id={`${id}-about`}
        className={problem ? 'option-problem' : 'visually-hidden'}
        role={problem ? 'alert' : undefined}
      >
        {problem || option.description}
      </span>
      {open && (candidates || (asks && choices)) && (
        <Suggestions
          id={`${id}-list`}
          label={option.label ?? option.name}
          items={items}
          active={activeIndex}
          keyOf={(item, index) => (item === loadMore ? item : `${index} ${item.value}`)}
          render={item =>
            item === loadMore ? <LoadMoreRow more={more} /> : <CandidateRow candidate={item} />
          }
          onPick={select}
          // The pointer must not select an item of a list that is about to change.
          onPoint={index => suggestions.current.isAsking || setActive(index)}
          empty={t(isSuggested ? 'command.noSuggestions' : 'command.noMatch')}
        />
      )}
    </div>
  )
}

/** The suggestions of the bot while there is a body, which is compared by its content. */
function useOptionSuggestions(body: AutocompleteBody | undefined) {
  const { api, timers } = useClient()
  const [suggestions] = useState(() => createOptionSuggestions(api, timers))
  const json = body && JSON.stringify(body)
  useEffect(() => {
    if (json === undefined) suggestions.clear()
    else suggestions.ask(JSON.parse(json) as AutocompleteBody)
  }, [suggestions, json])
  useEffect(() => suggestions.clear, [suggestions])
  return { current: useStore(suggestions.store, value => value), keep: suggestions.keep }
}

/** The options so far, without those that are invalid, and the text in the focused one. */
function autocompleteBody(
  command: RunnableCommand,
  { name }: RunnableOption,
  entries: Entries,
  channelId: string,
): AutocompleteBody {
  const others = command.options.filter(option => option.name !== name)
  const values = [
    ...parseCommand({ options: others }, entries).options,
    { name, value: entries[name]?.text ?? '' },
  ]
  return { channelId, commandId: command.id, options: toEnteredOptions(command, values), focused: name }
}

/** The keyboard of a phone. The bot may suggest numbers for a text. */
function inputModeOf({ type, autocomplete }: RunnableOption) {
  if (type === 'integer' && !autocomplete) return 'numeric'
  return type === 'number' && !autocomplete ? 'decimal' : 'text'
}

function CandidateRow({ candidate }: { candidate: Candidate }) {
  const { text, username, avatar } = candidate
  return (
    <>
      {avatar && <Avatar src={avatar} name={text} size={28} />}
      <span className="suggestion-text">
        <span className="ellipsis">{text}</span>
      </span>
      {username && <span className="suggestion-detail ellipsis">{username}</span>}
    </>
  )
}

function LoadMoreRow({ more }: { more: MoreMembers }) {
  const t = useT()
  return (
    <>
      {more?.busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="plus" />}
      <span className="suggestion-text">{t('member.loadMore')}</span>
      <span className="suggestion-detail">{t('member.loaded', { count: more?.loaded ?? 0 })}</span>
    </>
  )
}

/** Focuses the next field or button of the form. */
function focusNext(input: HTMLInputElement | null) {
  const stops = [...(input?.form?.querySelectorAll<HTMLElement>('input, textarea, button') ?? [])]
  stops[input ? stops.indexOf(input) + 1 : 0]?.focus()
}
