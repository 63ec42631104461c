import { maxContent } from '@gatehouse/protocol/limits'
import type { Member } from '@gatehouse/protocol/servers'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useCommands } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import type { RunnableCommand } from '../../core/commands.ts'
import { useI18n, useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import type { Timeline } from '../../core/stores/timeline.ts'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { useIsFocusUnchanged } from '../../ui/focus-tracker.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { completionProps, Suggestions } from '../../ui/suggestions.tsx'
import {
  CommandForm,
  CommandNotice,
  CommandSuggestion,
  filterCommands,
  findTypedCommands,
  type KnownCommands,
  parseCommandQuery,
  parseComposedText,
  parseSubcommandQuery,
} from '../commands/index.ts'
import { countCharacters } from './characters.ts'
import { canAutoFocus } from './composer-focus.ts'
import {
  encodeMentions,
  findMentionQuery,
  insertMention,
  type MentionQuery,
  rankMembers,
} from './composer-mentions.ts'
import { SlowModeHint, useSlowMode } from './slow-mode-hint.tsx'
import { useEditLast } from './use-edit-last.ts'

interface ComposerProps {
  timeline: Timeline
  editing: boolean
  onEditLast(messageId: string): void
}

const noMembers: readonly Member[] = []
const listId = 'composer-suggestions'
const noticeId = 'composer-notice'
const slowModeId = 'composer-slow-mode'

/** A command whose form is open. `typed` is the text after its name. */
interface SelectedCommand {
  command: RunnableCommand
  typed?: string
  takesFocus: boolean
}

/** Composes messages with mentions, and commands with their options. */
export function Composer({ timeline, editing, onEditLast }: ComposerProps) {
  const { channel, may } = useChannelContext()
  const [selected, setSelected] = useState<SelectedCommand>()
  // The form of a cancelled command does not open again while the user continues to type.
  const [cancelled, setCancelled] = useState<string>()
  if (!may.write) {
    // The draft has the entries of the form, which opens from it when the user may write again.
    if (selected !== undefined) setSelected(undefined)
    if (cancelled !== undefined) setCancelled(undefined)
    return <ClosedComposer />
  }
  if (selected) {
    const { command, typed, takesFocus } = selected
    const afterId = timeline.reachesEnd ? timeline.messages.at(-1)?.id : undefined
    return (
      <CommandForm
        key={command.key}
        command={command}
        channelId={channel.id}
        afterId={afterId}
        typed={typed}
        takesFocus={takesFocus}
        onCancel={text => {
          setCancelled(text === '' ? undefined : command.name)
          setSelected(undefined)
        }}
        onDone={() => setSelected(undefined)}
      />
    )
  }
  return (
    <TextComposer
      timeline={timeline}
      editing={editing}
      onEditLast={onEditLast}
      cancelled={cancelled}
      onCommand={next => {
        setCancelled(undefined)
        setSelected(next)
      }}
    />
  )
}

/** Why the user cannot write. */
function ClosedComposer() {
  const { t, dates } = useI18n()
  const { channel, restriction } = useChannelContext()
  const until = restriction && 'until' in restriction ? dates.full(restriction.until) : undefined
  const text = channel.recipient
    ? t('block.composer')
    : restriction?.reason === 'email_not_verified'
      ? t('error.emailNotVerified')
      : until === undefined
        ? t('chat.noPermission')
        : t(restriction?.reason === 'timed_out' ? 'chat.timedOut' : 'chat.tooNew', { date: until })
  return (
    <div className="composer">
      <p className="composer-closed">
        <Icon name={until === undefined ? 'lock' : 'clock'} />
        {text}
        {restriction?.reason === 'email_not_verified' && (
          <Link to="/settings/security">{t('nav.settings')}</Link>
        )}
      </p>
    </div>
  )
}

interface TextComposerProps extends ComposerProps {
  cancelled: string | undefined
  onCommand(selected: SelectedCommand): void
}

function TextComposer({ timeline, editing, onEditLast, cancelled, onCommand }: TextComposerProps) {
  const t = useT()
  const { timelines, drafts } = useClient()
  const { channel, name, self, viewers: members = noMembers, roles, may } = useChannelContext()
  const area = useRef<HTMLTextAreaElement>(null)
  const isFocusUnchanged = useIsFocusUnchanged()
  const [text, setText] = useState(() => drafts.get(channel.id))
  const [caret, setCaret] = useState(text.length)
  const [active, setActive] = useState(0)
  // The text for which the user closed the suggestions.
  const [dismissedText, setDismissedText] = useState<string>()
  // An object, so that setting the same caret again has an effect.
  const [newCaret, setNewCaret] = useState({ caret: text.length })
  // The command whose form must not open by itself.
  const [skipped, setSkipped] = useState(cancelled)
  // The text that was not sent because it looks like a command.
  const [unconfirmedText, setUnconfirmedText] = useState<string>()

  const parsed = useMemo(() => parseComposedText(text), [text])
  const isCommand = parsed.kind === 'command'
  const query = useCommands(channel.id, may.useCommands && isCommand, 'slash')
  const { data: commands } = query
  const commandQuery =
    may.useCommands && dismissedText !== text
      ? (parseCommandQuery(text) ?? parseSubcommandQuery(text, commands ?? []))
      : undefined
  const matches = useMemo(
    () => (parsed.kind === 'command' ? findTypedCommands(commands ?? [], parsed) : []),
    [parsed, commands],
  )
  const mention = dismissedText === text ? undefined : findMentionQuery(text, caret)
  const items = useMemo<Item[]>(() => {
    if (commandQuery !== undefined) {
      return filterCommands(commands ?? [], commandQuery).map(command => ({ kind: 'command', command }))
    }
    if (matches.length > 1 && dismissedText !== text) {
      return matches.map(({ command }) => ({ kind: 'command', command }))
    }
    if (!mention) return []
    return rankMembers(members, mention.text).map(({ user, nick }) => ({
      kind: 'member',
      user,
      name: nick ?? user.displayName,
      query: mention,
    }))
  }, [commandQuery, commands, matches, dismissedText, text, mention, members])
  const activeIndex = Math.min(active, Math.max(0, items.length - 1))

  const write = useCallback(
    (next: string) => {
      setText(next)
      setActive(0)
      const nextParsed = parseComposedText(next)
      const typed = nextParsed.kind === 'command' ? `${nextParsed.name} ${nextParsed.rest}` : ''
      setSkipped(name => (name !== undefined && typed.startsWith(`${name} `) ? name : undefined))
      drafts.set(channel.id, next)
    },
    [channel.id, drafts],
  )

  // The form resolves names of members and roles, so they must be loaded.
  const isLoaded = members.length > 0 && roles.length > 0
  const opensForm = isLoaded && matches.length === 1 && matches[0]?.command.name !== skipped
  // A layout effect, so that the form opens before the next key: the form would not get that character.
  useLayoutEffect(() => {
    const [match] = matches
    if (!opensForm || !match) return
    // A draft may open the form while the user has the focus elsewhere.
    const takesFocus = document.activeElement === area.current || (isFocusUnchanged() && canAutoFocus())
    onCommand({ command: match.command, typed: match.rest, takesFocus })
  }, [opensForm, matches, isFocusUnchanged, onCommand])

  const wasEditing = useRef(false)
  useEffect(() => {
    const takesFocus = wasEditing.current || isFocusUnchanged()
    wasEditing.current = editing
    if (!editing && takesFocus && canAutoFocus()) area.current?.focus()
  }, [editing, isFocusUnchanged])
  useFocusOnTyping(area)
  const editLast = useEditLast({ timeline, selfId: self.id, isEmpty: text === '', onEdit: onEditLast })
  // A layout effect, so that the caret is set before the next character is typed.
  useLayoutEffect(() => {
    area.current?.setSelectionRange(newCaret.caret, newCaret.caret)
  }, [newCaret])

  const slowMode = useSlowMode(timeline)
  const isWaiting = slowMode.until !== undefined
  const content = encodeMentions(parsed.content, members)
  const excess = countCharacters(content) - maxContent

  function send() {
    if (content === '' || excess > 0) return
    if (isCommand) return setUnconfirmedText(text)
    post()
  }

  function post() {
    if (isWaiting) return
    write('')
    setUnconfirmedText(undefined)
    void timelines.send(channel.id, content)
  }

  const known: KnownCommands = !may.useCommands
    ? { state: 'not_allowed' }
    : commands
      ? { state: 'loaded', commands }
      : query.isError
        ? { state: 'failed', retry: () => void query.refetch() }
        : { state: 'loading' }

  function pick(item: Item) {
    if (item.kind === 'command') return use(item.command)
    const inserted = insertMention(text, item.query, item.user.username)
    write(inserted.text)
    setCaret(inserted.caret)
    setNewCaret({ caret: inserted.caret })
  }

  function use(command: RunnableCommand) {
    const match = matches.find(other => other.command === command)
    if (match) return onCommand({ command, typed: match.rest, takesFocus: true })
    write('')
    onCommand({ command, takesFocus: true })
  }

  function onKeyDown(event: KeyboardEvent) {
    const item = items[activeIndex]
    if (item && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      event.preventDefault()
      return pick(item)
    }
    if (item && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      return setActive((activeIndex + step + items.length) % items.length)
    }
    if (event.key === 'Escape') {
      setUnconfirmedText(undefined)
      return setDismissedText(text)
    }
    if (event.key === 'Enter' && !event.shiftKey && !matchMedia('(pointer: coarse)').matches) {
      event.preventDefault()
      return send()
    }
    if (event.key === 'ArrowUp' && text === '' && editLast()) event.preventDefault()
  }

  const needsConfirmation = isCommand && unconfirmedText === text
  const showsEmpty = commandQuery !== undefined && commands !== undefined && !needsConfirmation
  return (
    <div className="composer">
      {needsConfirmation && (
        <CommandNotice
          id={noticeId}
          name={parsed.name}
          rest={parsed.rest}
          known={known}
          onUse={use}
          onRename={other => {
            write(`/${other} ${parsed.rest}`)
            area.current?.focus()
          }}
          onSend={() => {
            post()
            area.current?.focus()
          }}
        />
      )}
      {parsed.kind === 'literal' && (
        <p className="composer-hint" role="status">
          {t('command.literal')}
        </p>
      )}
      {slowMode.seconds > 0 && <SlowModeHint id={slowModeId} slowMode={slowMode} />}
      <Suggestions
        id={listId}
        label={items[0]?.kind === 'member' ? t('chat.suggestions') : t('command.pick')}
        items={items}
        active={activeIndex}
        keyOf={item => (item.kind === 'command' ? item.command.key : item.user.id)}
        render={item => <SuggestionRow item={item} />}
        onPick={pick}
        onPoint={setActive}
        {...(showsEmpty ? { empty: t(commands.length > 0 ? 'command.none' : 'command.noneHere') } : {})}
      />
      <div className="composer-box">
        <AutosizeTextarea
          ref={area}
          className="composer-text"
          rows={1}
          placeholder={channel.serverId ? t('chat.placeholder', { name }) : t('chat.placeholderDm', { name })}
          aria-label={channel.serverId ? t('chat.placeholder', { name }) : t('chat.placeholderDm', { name })}
          {...completionProps(listId, items.length, activeIndex)}
          aria-describedby={needsConfirmation ? noticeId : slowMode.seconds > 0 ? slowModeId : undefined}
          value={text}
          onChange={event => {
            write(event.target.value)
            setCaret(event.target.selectionStart)
          }}
          onSelect={event => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        {excess > -200 && (
          <span
            className={excess > 0 ? 'composer-count over' : 'composer-count'}
            role={excess > 0 ? 'alert' : undefined}
          >
            {excess > 0 ? t('chat.tooLong', { count: excess }) : -excess}
          </span>
        )}
        <IconButton
          icon="send"
          label={t('action.send')}
          className="icon-button composer-send"
          disabled={content === '' || excess > 0 || (isWaiting && !isCommand)}
          onClick={send}
        />
      </div>
    </div>
  )
}

type Item =
  | { kind: 'command'; command: RunnableCommand }
  | {
      kind: 'member'
      user: { id: string; username: string; avatar: string }
      name: string
      query: MentionQuery
    }

function SuggestionRow({ item }: { item: Item }) {
  if (item.kind === 'command') return <CommandSuggestion command={item.command} />
  return (
    <>
      <Avatar src={item.user.avatar} name={item.name} size={28} />
      <span className="suggestion-text">
        <span className="ellipsis">{item.name}</span>
      </span>
      <span className="suggestion-detail ellipsis">{item.user.username}</span>
    </>
  )
}

/** Focuses the composer when a character is typed while no control has the focus. */
function useFocusOnTyping(area: React.RefObject<HTMLTextAreaElement | null>) {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.key === ' ')
        return
      const focused = document.activeElement
      if (
        focused !== document.body &&
        focused?.closest(
          'input, textarea, select, button, a, [role="menu"], [role="dialog"], [role="alertdialog"]',
        )
      )
        return
      area.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [area])
}
