import type { Message } from '@gatehouse/protocol/messages'
import { Suspense, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { ChannelProvider, useChannelContext } from '../../core/servers/channel-context.ts'
import { CommandMenu } from '../../ui/command-menu.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { ReportDialog } from '../servers/index.ts'
import { decodeMentions } from './composer-mentions.ts'
import { MessagePreview } from './message-preview.tsx'

interface MessageActionsProps {
  message: Message
  onEdit(messageId: string): void
}

/** A toolbar that is shown while the pointer is over the message or the message has the focus. */
export function MessageActions({ message, onEdit }: MessageActionsProps) {
  const t = useT()
  const { timelines } = useClient()
  const channel = useChannelContext()
  const { self, may, members } = channel
  const confirm = useConfirm()
  const tabIndex = useTabIndex()
  // A toolbar has one tab stop, the button that had the focus last (ARIA Authoring Practices, toolbar pattern).
  const [lastFocused, setLastFocused] = useState(0)
  const [reporting, setReporting] = useState(false)
  if (message.ephemeral) return null
  const text = decodeMentions(message.content, members)
  const own = message.author.id === self.id
  const confirmDelete = () =>
    confirm({
      title: t('chat.deleteTitle'),
      text: t('chat.deleteConfirm'),
      action: t('action.delete'),
      preview: (
        <ChannelProvider value={channel}>
          <MessagePreview message={message} />
        </ChannelProvider>
      ),
      run: () => timelines.delete(message),
    })
  const actions: Action[] = []
  if (message.content) {
    actions.push({ name: 'copy', label: t('chat.copyText'), run: () => void copyText(text) })
  }
  if (own) actions.push({ name: 'edit', label: t('action.edit'), run: () => onEdit(message.id) })
  if (own || may.manageMessages)
    actions.push({ name: 'trash', label: t('action.delete'), run: confirmDelete })
  if (!own) actions.push({ name: 'flag', label: t('report.open'), run: () => setReporting(true) })
  const tabStop = Math.min(lastFocused, actions.length - (may.useCommandMenus ? 0 : 1))
  const tabIndexAt = (index: number) => (index === tabStop ? tabIndex : -1)
  return (
    <div className="actions" role="toolbar" aria-label={t('chat.actions')}>
      {actions.map(({ name, label, run }, index) => (
        <IconButton
          key={name}
          icon={name}
          label={label}
          tabIndex={tabIndexAt(index)}
          onFocus={() => setLastFocused(index)}
          onClick={run}
        />
      ))}
      {may.useCommandMenus && (
        <CommandMenu
          type="message"
          targetId={message.id}
          className="icon-button"
          tabIndex={tabIndexAt(actions.length)}
          onFocus={() => setLastFocused(actions.length)}
        >
          <Icon name="bot" />
        </CommandMenu>
      )}
      {reporting && (
        <Suspense fallback={null}>
          <ReportDialog
            target={{
              channelId: message.channelId,
              messageId: message.id,
              isDirect: message.serverId === null,
            }}
            onClose={() => setReporting(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

interface Action {
  name: 'copy' | 'edit' | 'trash' | 'flag'
  label: string
  run(): void
}
