import type { AvailableCommand, Option } from '@gatehouse/protocol/commands'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { ApiError, faultText, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useChannel } from '../chat/channel-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { OptionField } from './option-field.tsx'
import {
  type Entries,
  faultsByOption,
  problemSoFar,
  problemWords,
  readCommand,
  shownOptions,
} from './option-values.ts'

interface CommandFormProps {
  command: AvailableCommand
  channelId: string
  afterId: string | undefined
  onDone(): void
}

/** A chosen command in the composer's place, with a field for each option. */
export function CommandForm({ command, channelId, afterId, onDone }: CommandFormProps) {
  const t = useT()
  const { invocations } = useClient()
  const { member } = useChannel()
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [entries, setEntries] = useState<Entries>({})
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const { application } = command
  const bot = member(application.botId)?.user
  const botName = bot?.displayName ?? application.name
  const shown = shownOptions(command.options, added)
  const hidden = command.options.filter(option => !shown.includes(option))
  const [focused, setFocused] = useState(shown[0]?.name)
  const current = command.options.find(({ name }) => name === focused)

  async function submit(event?: FormEvent) {
    event?.preventDefault()
    if (busy) return
    const read = readCommand({ options: shown }, entries)
    const found = Object.entries(read.problems).map(([name, problem]) => [name, problemWords(problem, t)])
    setProblems(Object.fromEntries(found))
    const [first] = Object.keys(read.problems)
    if (first !== undefined) return focus(first)
    setBusy(true)
    try {
      await invocations.runCommand(
        { channelId, commandId: command.id, options: read.options },
        {
          botName,
          name: command.name,
          botAvatar: bot?.avatar ?? application.icon,
          ...(afterId === undefined ? {} : { afterId }),
        },
      )
      onDone()
    } catch (error) {
      setBusy(false)
      refused(error, read.options)
    }
  }

  function refused(error: unknown, sent: readonly { name: string }[]) {
    if (error instanceof ApiError && error.code === 'validation_failed') {
      const faults = faultsByOption(error.faults, sent, fault => faultText(fault, t))
      setProblems(Object.keys(faults).length > 0 ? faults : { '': error.message })
      const at = Object.keys(faults).find(name => name !== '')
      if (at !== undefined) focus(at)
      return
    }
    const gone = error instanceof ApiError && error.code === 'not_found'
    if (gone) void queries.invalidateQueries({ queryKey: keys.commands(channelId) })
    setProblems({ '': gone ? t('command.gone') : problemText(error, t) })
  }

  function focus(name: string) {
    form.current?.querySelector<HTMLInputElement>(`[data-option="${CSS.escape(name)}"]`)?.focus()
  }

  function add(option: Option) {
    setAdded(new Set(added).add(option.name))
    setFocused(option.name)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    onDone()
  }

  return (
    <form
      ref={form}
      className="composer command-form"
      aria-label={`/${command.name}`}
      onSubmit={event => void submit(event)}
      onKeyDown={onKeyDown}
    >
      <p className="command-about">
        <Avatar src={bot?.avatar ?? application.icon} name={botName} size={20} />
        <span className="ellipsis grow">
          <strong>{current ? current.name : `/${command.name}`}</strong>{' '}
          {current ? current.description : command.description}
        </span>
        {current && (
          <span className="hint">{current.required ? t('command.required') : t('command.optional')}</span>
        )}
      </p>
      {problems[''] && (
        <p className="problem" role="alert">
          {problems['']}
        </p>
      )}
      <div className="composer-box">
        <div className="command-fields">
          <span className="command-name">/{command.name}</span>
          {shown.map((option, index) => (
            <OptionField
              key={option.name}
              option={option}
              entry={entries[option.name]}
              problem={problems[option.name]}
              autoFocus={added.size === 0 ? index === 0 : option.name === focused}
              onFocus={() => setFocused(option.name)}
              onChange={entry => {
                setEntries({ ...entries, [option.name]: entry })
                const soFar = problemSoFar(option, entry)
                setProblems({ ...problems, [option.name]: soFar ? problemWords(soFar, t) : '' })
              }}
              onSubmit={() => void submit()}
            />
          ))}
          {hidden.map(option => (
            <button
              key={option.name}
              type="button"
              className="option-add"
              title={option.description}
              onClick={() => add(option)}
            >
              <Icon name="plus" />
              {option.name}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label={t('command.cancel')}
          title={t('command.cancel')}
          onClick={onDone}
        >
          <Icon name="close" />
        </button>
        <SubmitButton label={t('command.send')} busy={busy} autoFocus={shown.length === 0} />
      </div>
    </form>
  )
}

interface SubmitButtonProps {
  label: string
  busy: boolean
  autoFocus: boolean
}

const focusAtOnce = (button: HTMLButtonElement | null) => button?.focus()

/** Where a command has no options it has the focus, so that Enter uses it. */
function SubmitButton({ label, busy, autoFocus }: SubmitButtonProps) {
  return (
    <button
      ref={autoFocus ? focusAtOnce : null}
      type="submit"
      className="icon-button composer-send"
      aria-label={label}
      title={label}
      disabled={busy}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="enter" />}
    </button>
  )
}
