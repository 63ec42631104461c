import {
  type FormEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ApiError, createNonce, fieldErrorText, isLost, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { type RunnableCommand, type RunnableOption, toEnteredOptions } from '../../core/commands.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import type { Translate } from '../../core/i18n/translate.ts'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'
import { useIsMounted } from '../../ui/use-is-mounted.ts'
import { listCandidates } from './candidates.ts'
import { formatCommand, parseOptions, splitFieldText } from './command-text.ts'
import { OptionField } from './option-field.tsx'
import {
  type Entries,
  type Entry,
  fieldErrorsByOption,
  findProblemWhileTyping,
  listShownOptions,
  optionProblemText,
  parseCommand,
  parseOption,
} from './option-values.ts'

interface CommandFormProps {
  command: RunnableCommand
  channelId: string
  afterId: string | undefined
  /** The text after the name; undefined if the user selected the command from the list. */
  typed: string | undefined
  /** Whether the form takes the focus when it opens. */
  takesFocus: boolean
  /** `text` is the command as text, `''` if no option was filled in. */
  onCancel(text: string): void
  onDone(): void
}

/** Replaces the composer with a field for each option of the command. */
export function CommandForm(props: CommandFormProps) {
  const { command, channelId, afterId, typed, takesFocus, onCancel, onDone } = props
  const t = useT()
  const { invocations, drafts, queries } = useClient()
  const isMounted = useIsMounted()
  const channel = useChannelContext()
  const { member } = channel
  const form = useRef<HTMLFormElement>(null)
  // The request whose response was lost. If the user sends the same command again, it runs only once.
  const lost = useRef<{ key: string; nonce: string }>(undefined)
  const getCandidates = useCallback(
    (option: RunnableOption) => listCandidates(option, channel, t),
    [channel, t],
  )
  const [initial] = useState(() => parseOptions(command.options, typed ?? '', getCandidates))
  const [entries, setEntries] = useState(initial.entries)
  const [leftover, setLeftover] = useState(initial.leftover)
  const [problems, setProblems] = useState(() => findProblems(command.options, initial.entries, t))
  // After a space, the user continues with the next option, even if it is optional.
  const next = typed === undefined ? undefined : initial.next
  const [added, setAdded] = useState<ReadonlySet<string>>(
    () => new Set([...Object.keys(initial.entries), ...(next === undefined ? [] : [next])]),
  )
  const [busy, setBusy] = useState(false)
  const isClosed = useRef(false)
  const { application } = command
  const bot = member(application.botId)?.user
  const botName = bot?.displayName ?? application.name
  const shown = listShownOptions(command.options, added)
  const hidden = command.options.filter(option => !shown.includes(option))
  const [focused, setFocused] = useState(() => {
    const invalid = Object.keys(problems)[0]
    return invalid ?? next ?? shown.find(({ name }) => !initial.entries[name])?.name
  })
  const [focusRequest, setFocusRequest] = useState(takesFocus ? { name: focused } : undefined)
  const current = command.options.find(({ name }) => name === focused)

  // An effect, because the field may have to be rendered first.
  useLayoutEffect(() => {
    if (!focusRequest) return
    const { name } = focusRequest
    const selector = name === undefined ? '[type="submit"]' : `[data-option="${CSS.escape(name)}"]`
    const target = form.current?.querySelector<HTMLInputElement | HTMLButtonElement>(selector)
    target?.focus()
    if (target instanceof HTMLInputElement) target.setSelectionRange(target.value.length, target.value.length)
  }, [focusRequest])

  const isEmpty = leftover === '' && Object.values(entries).every(entry => entry.text.trim() === '')
  const text =
    isEmpty && typed === undefined ? '' : `${formatCommand(command, entries, getCandidates)} ${leftover}`
  // The draft survives a reload and a change of the channel.
  useEffect(() => drafts.set(channelId, text), [drafts, channelId, text])

  async function submit(event?: FormEvent) {
    event?.preventDefault()
    if (busy || leftover !== '') return
    const parsed = parseCommand({ options: shown }, entries)
    const texts = Object.entries(parsed.problems).map(([name, problem]) => [
      name,
      optionProblemText(problem, t),
    ])
    setProblems(Object.fromEntries(texts))
    const [first] = Object.keys(parsed.problems)
    if (first !== undefined) return focus(first)
    setBusy(true)
    const options = toEnteredOptions(command, parsed.options)
    const key = JSON.stringify(options)
    const nonce = lost.current?.key === key ? lost.current.nonce : createNonce()
    lost.current = undefined
    try {
      await invocations.runCommand(
        { channelId, commandId: command.id, options, nonce },
        {
          botName,
          name: command.name,
          botAvatar: bot?.avatar ?? application.icon,
          ...(afterId === undefined ? {} : { afterId }),
        },
        error => (isClosed.current ? problemText(error, t) : undefined),
      )
      // If the form was closed while the command was being sent, the user may have another form or text by now.
      if (isMounted() || drafts.get(channelId) === text) drafts.set(channelId, '')
      if (isMounted()) onDone()
    } catch (error) {
      setBusy(false)
      if (isLost(error)) lost.current = { key, nonce }
      showError(error, parsed.options)
    }
  }

  function showError(error: unknown, sent: readonly { name: string }[]) {
    if (error instanceof ApiError && error.code === 'validation_failed') {
      const texts = fieldErrorsByOption(error.fieldErrors, sent, fieldError => fieldErrorText(fieldError, t))
      setProblems(Object.keys(texts).length > 0 ? texts : { '': error.message })
      const first = Object.keys(texts).find(name => name !== '')
      if (first !== undefined) focus(first)
      return
    }
    const isDeleted = error instanceof ApiError && error.code === 'not_found'
    if (isDeleted) void queries.invalidateQueries({ queryKey: keys.commands(channelId) })
    setProblems({ '': isDeleted ? t('command.notFound') : problemText(error, t) })
  }

  function focus(name: string | undefined) {
    if (name !== undefined) setAdded(new Set(added).add(name))
    setFocused(name)
    setFocusRequest({ name })
  }

  function change(option: RunnableOption, entry: Entry) {
    const others =
      entry.value === undefined && splitFieldText(command.options, option, entry.text, entries, getCandidates)
    if (!others) {
      setEntries({ ...entries, [option.name]: entry })
      const problem = findProblemWhileTyping(option, entry)
      return setProblems({ ...problems, [option.name]: problem ? optionProblemText(problem, t) : '' })
    }
    setEntries({ ...entries, [option.name]: { text: '' }, ...others.entries })
    const names = Object.keys(others.entries)
    setProblems({ ...problems, [option.name]: '', ...findProblems(command.options, others.entries, t) })
    setAdded(new Set([...added, ...names, ...(others.next === undefined ? [] : [others.next])]))
    setFocused(others.next)
    setFocusRequest({ name: others.next })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    cancel()
  }

  function cancel() {
    if (busy) {
      // The command is not cancelled, so its text must not be sent again. An error becomes a notice.
      isClosed.current = true
      drafts.set(channelId, '')
      return onDone()
    }
    drafts.set(channelId, text)
    onCancel(text)
  }

  return (
    <form
      ref={form}
      className="composer command-form"
      aria-label={`/${command.label}`}
      onSubmit={event => void submit(event)}
      onKeyDown={onKeyDown}
    >
      <p className="command-description">
        <Avatar src={bot?.avatar ?? application.icon} name={botName} size={20} />
        <span className="ellipsis grow">
          <strong>{current ? (current.label ?? current.name) : `/${command.label}`}</strong>{' '}
          {current ? current.description : command.description}
        </span>
        {current && (
          <span className="hint">{current.required ? t('command.required') : t('command.optional')}</span>
        )}
      </p>
      <ErrorText text={problems['']} />
      {leftover !== '' && (
        <p className="problem line" role="alert">
          {t('command.leftover', { text: leftover })}{' '}
          <NoticeAction label={t('command.removeLeftover')} onPress={() => setLeftover('')} />
        </p>
      )}
      <div className="composer-box">
        <div className="command-fields">
          <span className="command-name">/{command.label}</span>
          {shown.map(option => (
            <OptionField
              key={option.name}
              command={command}
              option={option}
              entries={entries}
              problem={problems[option.name]}
              onFocus={() => setFocused(option.name)}
              onChange={entry => change(option, entry)}
              onSubmit={() => void submit()}
            />
          ))}
          {hidden.map(option => (
            <button
              key={option.name}
              type="button"
              className="option-add"
              title={option.description}
              onClick={() => focus(option.name)}
            >
              <Icon name="plus" />
              {option.label ?? option.name}
            </button>
          ))}
        </div>
        <IconButton icon="close" label={t('command.cancel')} onClick={cancel} />
        <SubmitButton label={t('command.send')} busy={busy} />
      </div>
    </form>
  )
}

/** The problems of the options that are filled in, by name. */
function findProblems(
  options: readonly RunnableOption[],
  entries: Entries,
  t: Translate,
): Record<string, string> {
  return Object.fromEntries(
    options.flatMap(option => {
      const entry = entries[option.name]
      const parsed = entry && entry.text !== '' ? parseOption(option, entry) : undefined
      return parsed && 'problem' in parsed ? [[option.name, optionProblemText(parsed.problem, t)]] : []
    }),
  )
}

/** Has the focus if every option is filled in, so that Enter runs the command. */
function SubmitButton({ label, busy }: { label: string; busy: boolean }) {
  return (
    <button
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
