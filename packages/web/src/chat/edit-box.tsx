import { maxContent } from '@gatehouse/protocol/limits'
import type { Message } from '@gatehouse/protocol/messages'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { GrowingArea } from '../ui/growing-area.tsx'
import { useChannel } from './channel-context.ts'
import { countCharacters } from './characters.ts'
import { withMentions, withoutMentions } from './mentioning.ts'

/** The text of one's own message, to be changed in its place. */
export function EditBox({ message, onDone }: { message: Message; onDone(): void }) {
  const t = useT()
  const { timelines } = useClient()
  const confirm = useConfirm()
  const { members } = useChannel()
  const [text, setText] = useState(() => withoutMentions(message.content, members))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const content = withMentions(text.trim(), members)
  const surplus = countCharacters(content) - maxContent

  async function save() {
    if (busy || surplus > 0) return
    if (content === message.content) return onDone()
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
      setProblem(problemText(error, t))
      setBusy(false)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onDone()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
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
      <GrowingArea
        ref={area}
        className="input"
        rows={1}
        aria-label={t('chat.editing')}
        aria-invalid={problem !== undefined || surplus > 0}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <p className="edit-foot">
        <span className="hint grow">
          {surplus > 0 ? t('chat.tooLong', { count: surplus }) : t('chat.editHint')}
        </span>
        <button type="button" className="button plain small" onClick={onDone}>
          {t('action.cancel')}
        </button>
        <button
          type="button"
          className="button small"
          disabled={busy || surplus > 0}
          onClick={() => void save()}
        >
          {t('action.save')}
        </button>
      </p>
    </div>
  )
}
