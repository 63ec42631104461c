import type { Option } from '@gatehouse/protocol/commands'
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useChannel } from '../chat/channel-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { comboboxProps, Suggestions } from '../ui/suggestions.tsx'
import { type Candidate, candidatesOf, filterCandidates } from './candidates.ts'
import type { Entry } from './option-values.ts'

interface OptionFieldProps {
  option: Option
  entry: Entry | undefined
  problem: string | undefined
  autoFocus: boolean
  onFocus(): void
  onChange(entry: Entry): void
  onSubmit(): void
}

/** One option of a command: written freely, or picked from what it offers. */
export function OptionField(props: OptionFieldProps) {
  const { option, entry, problem, autoFocus, onFocus, onChange, onSubmit } = props
  const t = useT()
  const id = useId()
  const channel = useChannel()
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const all = useMemo(() => candidatesOf(option, channel, t), [option, channel, t])
  const picked = entry?.value !== undefined
  const items = open && all ? filterCandidates(all, picked ? '' : (entry?.text ?? '')) : []
  const at = Math.min(active, Math.max(0, items.length - 1))
  const text = entry?.text ?? ''

  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus()
  }, [autoFocus])

  function pick({ value, text: words }: Candidate) {
    onChange({ text: words, value })
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const chosen = items[at]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!all) return
      event.preventDefault()
      if (!open) return setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      return setActive(items.length === 0 ? 0 : (at + step + items.length) % items.length)
    }
    if (event.key === 'Escape' && items.length > 0) {
      event.preventDefault()
      return setOpen(false)
    }
    const wanted = text !== '' || active > 0 || (option.required === true && event.key === 'Enter')
    if (chosen && !picked && wanted && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault()
      pick(chosen)
      return event.key === 'Tab' ? focusNext(input.current) : undefined
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      onSubmit()
    }
  }

  return (
    <div className={problem ? 'option invalid' : 'option'}>
      <label htmlFor={id} className="option-name">
        {option.name}
        {option.required && <span aria-hidden="true"> *</span>}
      </label>
      <input
        ref={input}
        id={id}
        data-option={option.name}
        className="option-input"
        autoComplete="off"
        spellCheck={option.type === 'string' && !all}
        inputMode={option.type === 'integer' ? 'numeric' : option.type === 'number' ? 'decimal' : 'text'}
        aria-required={option.required ?? false}
        aria-invalid={Boolean(problem)}
        aria-describedby={`${id}-about`}
        {...(all ? comboboxProps(`${id}-list`, items.length, at) : {})}
        style={{ inlineSize: `${Math.min(36, Math.max(6, text.length + 2))}ch` }}
        value={text}
        onFocus={() => {
          setOpen(true)
          onFocus()
        }}
        onBlur={() => setOpen(false)}
        onChange={event => {
          setOpen(true)
          setActive(0)
          onChange({ text: event.target.value })
        }}
        onKeyDown={onKeyDown}
      />
      <span
        id={`${id}-about`}
        className={problem ? 'option-problem' : 'unseen'}
        role={problem ? 'alert' : undefined}
      >
        {problem || option.description}
      </span>
      {open && all && (
        <Suggestions
          id={`${id}-list`}
          label={option.name}
          items={items}
          active={at}
          keyOf={({ value }) => String(value)}
          render={candidate => <CandidateRow candidate={candidate} />}
          onPick={pick}
          onPoint={setActive}
          empty={t('command.noMatch')}
        />
      )}
    </div>
  )
}

function CandidateRow({ candidate }: { candidate: Candidate }) {
  const { text, about, avatar } = candidate
  return (
    <>
      {avatar && <Avatar src={avatar} name={text} size={28} />}
      <span className="suggestion-text">
        <span className="ellipsis">{text}</span>
      </span>
      {about && <span className="suggestion-of ellipsis">{about}</span>}
    </>
  )
}

/** The next field of the form, or its button. */
function focusNext(input: HTMLInputElement | null) {
  const stops = [...(input?.form?.querySelectorAll<HTMLElement>('input, button') ?? [])]
  stops[input ? stops.indexOf(input) + 1 : 0]?.focus()
}
