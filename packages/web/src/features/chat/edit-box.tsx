import { maxContent } from '@gatehouse/protocol/limits'
import type { Message } from '@gatehouse/protocol/messages'
import type { Member } from '@gatehouse/protocol/servers'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useIsMounted } from '../../ui/use-is-mounted.ts'
import { parseComposedText } from '../commands/index.ts'
import { countCharacters } from './characters.ts'
import { decodeMentions, encodeMentions } from './composer-mentions.ts'

const noMembers: readonly Member[] = []

interface EditBoxProps {
  message: Message
  onClose(): void
}

/** Edits an own message in the message list. */
export function EditBox({ message, onClose }: EditBoxProps) {
  const t = useT()
  const { timelines, failedEdits, drafts } = useClient()
  const confirm = useConfirm()
  const { viewers: members = noMembers } = useChannelContext()
  const isMounted = useIsMounted()
  const [failed] = useState(() => failedEdits.store.get().get(message.id))
  const [stored] = useState(() => decodeMentions(message.content, members))
  const [text, setText] = useState(() => failed?.text ?? (drafts.get(message.id) || stored))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(failed?.error)
  // The text that was not saved because it looks like a command.
  const [unconfirmedText, setUnconfirmedText] = useState<string>()
  // If the message was sent with a slash, the slash is text and not the start of a command.
  const hadSlash = message.content.startsWith('/')
  const parsed = hadSlash ? undefined : parseComposedText(text)
  const content = encodeMentions(parsed?.content ?? text.trim(), members)
  const excess = countCharacters(content) - maxContent

  function onDone() {
    drafts.set(message.id, '')
    if (failed) failedEdits.remove(failed)
    // If the user edits another message by now, that box stays open.
    if (isMounted()) onClose()
  }

  async function save(asText = false) {
    if (busy || excess > 0) return
    if (parsed?.kind === 'command' && !asText) return setUnconfirmedText(text)
    if (text === stored || content === message.content) return onDone()
    if (content === '') {
      onDone()
      return confirm({
        title: t('chat.deleteTitle'),
        text: t('chat.deleteConfirm'),
        action: t('action.delete'),
        run: () => timelines.delete(message),
      })
    }
    setBusy(true)
    try {
      await timelines.edit(message, content)
      onDone()
    } catch (error) {
      if (!isMounted()) return failedEdits.add(message.id, { text, error })
      setError(error)
      setBusy(false)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onDone()
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void save()
  }

  const area = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const { current } = area
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
    current?.scrollIntoView({ block: 'nearest' })
  }, [])

  return (
    <div className="edit-box">
      <AutosizeTextarea
        ref={area}
        className="input"
        rows={1}
        aria-label={t('chat.editing')}
        aria-invalid={error !== undefined || excess > 0}
        // What was typed while the text is being saved would be lost.
        readOnly={busy}
        value={text}
        onChange={event => {
          setText(event.target.value)
          drafts.set(message.id, event.target.value)
        }}
        onKeyDown={onKeyDown}
      />
      {unconfirmedText === text && (
        <p className="notice" role="alert">
          <Icon name="warning" />
          <span>{t('command.notInEdit')}</span>
          <button type="button" className="notice-action" onClick={() => void save(true)}>
            {t('command.saveAsText')}
          </button>
        </p>
      )}
      <ErrorText error={error} />
      <p className="edit-footer">
        <span className="hint grow">
          {excess > 0 ? t('chat.tooLong', { count: excess }) : t('chat.editHint')}
        </span>
        <button type="button" className="button plain small" onClick={onDone}>
          {t('action.cancel')}
        </button>
        <button
          type="button"
          className="button small"
          disabled={busy || excess > 0}
          onClick={() => void save()}
        >
          {t('action.save')}
        </button>
      </p>
    </div>
  )
}
