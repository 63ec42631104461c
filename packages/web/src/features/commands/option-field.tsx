import { type ChangeEvent, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { RunnableOption } from '../../core/commands.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannel } from '../../core/servers/channel-context.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { comboboxProps, Suggestions } from '../../ui/suggestions.tsx'
import { type Candidate, filterCandidates, listCandidates } from './candidates.ts'
import type { Entry } from './option-values.ts'

interface OptionFieldProps {
  option: RunnableOption
  entry: Entry | undefined
  problem: string | undefined
  onFocus(): void
  onChange(entry: Entry): void
  onSubmit(): void
}

/** The field of an option: free text, or a combobox if the option has candidates. */
export function OptionField(props: OptionFieldProps) {
  const { option, entry, problem, onFocus, onChange, onSubmit } = props
  const t = useT()
  const id = useId()
  const channel = useChannel()
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const candidates = useMemo(() => listCandidates(option, channel, t), [option, channel, t])
  const isSelected = entry?.value !== undefined
  const items = open && candidates ? filterCandidates(candidates, isSelected ? '' : (entry?.text ?? '')) : []
  const activeIndex = Math.min(active, Math.max(0, items.length - 1))
  const text = entry?.text ?? ''
  // An input element would remove the line breaks of a pasted text.
  const [isMultiline] = useState(text.includes('\n'))

  function select(candidate: Candidate) {
    onChange({ text: candidate.text, value: candidate.value })
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const item = items[activeIndex]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!candidates) return
      event.preventDefault()
      if (!open) return setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      return setActive(items.length === 0 ? 0 : (activeIndex + step + items.length) % items.length)
    }
    if (event.key === 'Escape' && items.length > 0) {
      event.preventDefault()
      return setOpen(false)
    }
    const selectsItem = text !== '' || active > 0 || (option.required === true && event.key === 'Enter')
    if (item && !isSelected && selectsItem && (event.key === 'Enter' || event.key === 'Tab')) {
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
    spellCheck: option.type === 'string' && !candidates,
    inputMode: option.type === 'integer' ? 'numeric' : option.type === 'number' ? 'decimal' : 'text',
    'aria-required': option.required ?? false,
    'aria-invalid': Boolean(problem),
    'aria-describedby': `${id}-about`,
    ...(candidates ? comboboxProps(`${id}-list`, items.length, activeIndex) : {}),
    style: { inlineSize: `${Math.min(36, Math.max(6, text.length + 2))}ch` },
    value: text,
    onFocus() {
      setOpen(true)
      onFocus()
    },
    onBlur: () => setOpen(false),
    onChange(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) {
      setOpen(true)
      setActive(0)
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
      {open && candidates && (
        <Suggestions
          id={`${id}-list`}
          label={option.label ?? option.name}
          items={items}
          active={activeIndex}
          keyOf={({ value }) => String(value)}
          render={candidate => <CandidateRow candidate={candidate} />}
          onPick={select}
          onPoint={setActive}
          empty={t('command.noMatch')}
        />
      )}
    </div>
  )
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

/** Focuses the next field or button of the form. */
function focusNext(input: HTMLInputElement | null) {
  const stops = [...(input?.form?.querySelectorAll<HTMLElement>('input, textarea, button') ?? [])]
  stops[input ? stops.indexOf(input) + 1 : 0]?.focus()
}
