import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { maxContent } from '@gatehouse/protocol/limits'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { problemText } from '../api/client.ts'
import { useCommands } from '../api/queries.ts'
import { useFocusUnmoved } from '../app/arrival.tsx'
import { useClient } from '../app/client-context.ts'
import { CommandForm } from '../commands/command-form.tsx'
import { CommandSuggestion } from '../commands/command-suggestion.tsx'
import { filterCommands, typedCommand } from '../commands/filter.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { GrowingArea } from '../ui/growing-area.tsx'
import { Icon } from '../ui/icon.tsx'
import { completionProps, Suggestions } from '../ui/suggestions.tsx'
import { useChannel } from './channel-context.ts'
import { countCharacters } from './characters.ts'
import { mayFocusUnasked } from './composer-focus.ts'
import { insertMention, type MentionAt, mentionAt, rankMembers, withMentions } from './mentioning.ts'
import type { Timeline } from './timeline.ts'
import { useEditLast } from './use-edit-last.ts'

interface ComposerProps {
  timeline: Timeline
  editing: boolean
  onEditLast(messageId: string): void
}

const listId = 'composer-suggestions'

/** Where one writes: text, mentions, and commands with their options. */
export function Composer({ timeline, editing, onEditLast }: ComposerProps) {
  const t = useT()
  const { channel, may } = useChannel()
  const [command, setCommand] = useState<AvailableCommand>()
  if (!may.write) {
    return (
      <div className="composer">
        <p className="composer-closed">
          <Icon name="lock" />
          {t('chat.noPermission')}
        </p>
      </div>
    )
  }
  if (command) {
    const afterId = timeline.present ? timeline.messages.at(-1)?.id : undefined
    return (
      <CommandForm
        key={command.id}
        command={command}
        channelId={channel.id}
        afterId={afterId}
        onDone={() => setCommand(undefined)}
      />
    )
  }
  return <TextComposer timeline={timeline} editing={editing} onEditLast={onEditLast} onCommand={setCommand} />
}

interface TextComposerProps extends ComposerProps {
  onCommand(command: AvailableCommand): void
}

function TextComposer({ timeline, editing, onEditLast, onCommand }: TextComposerProps) {
  const t = useT()
  const { timelines, drafts } = useClient()
  const { channel, name, self, members, may } = useChannel()
  const area = useRef<HTMLTextAreaElement>(null)
  const unmoved = useFocusUnmoved()
  const [text, setText] = useState(() => drafts.of(channel.id))
  const [caret, setCaret] = useState(text.length)
  const [active, setActive] = useState(0)
  const [closed, setClosed] = useState<string>()
  const [placed, setPlaced] = useState<{ caret: number }>()

  const typed = may.useCommands && closed !== text ? typedCommand(text) : undefined
  const { data: commands } = useCommands(channel.id, may.useCommands && text.startsWith('/'))
  const mention = closed === text ? undefined : mentionAt(text, caret)
  const items = useMemo<Item[]>(() => {
    if (typed !== undefined) {
      return filterCommands(commands ?? [], typed).map(command => ({ kind: 'command', command }))
    }
    if (!mention) return []
    return rankMembers(members, mention.typed).map(({ user, nick }) => ({
      kind: 'member',
      user,
      name: nick ?? user.displayName,
      at: mention,
    }))
  }, [typed, commands, mention, members])
  const at = Math.min(active, Math.max(0, items.length - 1))

  const write = useCallback(
    (next: string) => {
      setText(next)
      setActive(0)
      drafts.keep(channel.id, next)
    },
    [channel.id, drafts],
  )
  const wasEditing = useRef(false)
  useEffect(() => {
    const free = wasEditing.current || unmoved()
    wasEditing.current = editing
    if (!editing && free && mayFocusUnasked()) area.current?.focus()
  }, [editing, unmoved])
  useTypingAnywhere(area)
  const editLast = useEditLast({ timeline, selfId: self.id, free: text === '', onEdit: onEditLast })
  // After a mention was put in: before the next letter is typed.
  useLayoutEffect(() => {
    if (placed) area.current?.setSelectionRange(placed.caret, placed.caret)
  }, [placed])

  const content = withMentions(text.trim(), members)
  const surplus = countCharacters(content) - maxContent

  function send() {
    if (content === '' || surplus > 0) return
    write('')
    void timelines.send(channel.id, content, error => problemText(error, t))
  }

  function pick(item: Item) {
    if (item.kind === 'command') {
      write('')
      return onCommand(item.command)
    }
    const inserted = insertMention(text, item.at, item.user.username)
    write(inserted.text)
    setCaret(inserted.caret)
    setPlaced({ caret: inserted.caret })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const chosen = items[at]
    if (chosen && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      event.preventDefault()
      return pick(chosen)
    }
    if (chosen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      return setActive((at + step + items.length) % items.length)
    }
    if (event.key === 'Escape') return setClosed(text)
    if (event.key === 'Enter' && !event.shiftKey && !matchMedia('(pointer: coarse)').matches) {
      event.preventDefault()
      return send()
    }
    if (event.key === 'ArrowUp' && text === '' && editLast()) event.preventDefault()
  }

  const noCommand = typed !== undefined && commands !== undefined
  return (
    <div className="composer">
      <Suggestions
        id={listId}
        label={typed === undefined ? t('chat.suggestions') : t('command.pick')}
        items={items}
        active={at}
        keyOf={item => (item.kind === 'command' ? item.command.id : item.user.id)}
        render={item => <SuggestionRow item={item} />}
        onPick={pick}
        onPoint={setActive}
        {...(noCommand ? { empty: t(commands.length > 0 ? 'command.none' : 'command.noneHere') } : {})}
      />
      <div className="composer-box">
        <GrowingArea
          ref={area}
          className="composer-text"
          rows={1}
          placeholder={channel.serverId ? t('chat.placeholder', { name }) : t('chat.placeholderDm', { name })}
          aria-label={channel.serverId ? t('chat.placeholder', { name }) : t('chat.placeholderDm', { name })}
          {...completionProps(listId, items.length, at)}
          value={text}
          onChange={event => {
            write(event.target.value)
            setCaret(event.target.selectionStart)
          }}
          onSelect={event => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
        />
        {surplus > -200 && (
          <span
            className={surplus > 0 ? 'composer-count over' : 'composer-count'}
            role={surplus > 0 ? 'alert' : undefined}
          >
            {surplus > 0 ? t('chat.tooLong', { count: surplus }) : -surplus}
          </span>
        )}
        <button
          type="button"
          className="icon-button composer-send"
          aria-label={t('action.send')}
          title={t('action.send')}
          disabled={content === '' || surplus > 0}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      </div>
    </div>
  )
}

type Item =
  | { kind: 'command'; command: AvailableCommand }
  | { kind: 'member'; user: { id: string; username: string; avatar: string }; name: string; at: MentionAt }

function SuggestionRow({ item }: { item: Item }) {
  if (item.kind === 'command') return <CommandSuggestion command={item.command} />
  return (
    <>
      <Avatar src={item.user.avatar} name={item.name} size={28} />
      <span className="suggestion-text">
        <span className="ellipsis">{item.name}</span>
      </span>
      <span className="suggestion-of ellipsis">{item.user.username}</span>
    </>
  )
}

/** A letter typed while nothing that takes letters has the focus goes to the composer. */
function useTypingAnywhere(area: React.RefObject<HTMLTextAreaElement | null>) {
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
