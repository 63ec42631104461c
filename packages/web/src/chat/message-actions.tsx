import type { Message } from '@gatehouse/protocol/messages'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { copyText } from '../ui/copy-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { ChannelProvider, useChannel } from './channel-context.ts'
import { withoutMentions } from './mentioning.ts'
import { MessagePreview } from './message-preview.tsx'

interface MessageActionsProps {
  message: Message
  onEdit(messageId: string): void
}

/** What can be done with a message; shown when it is pointed at or when the focus is in it. */
export function MessageActions({ message, onEdit }: MessageActionsProps) {
  const t = useT()
  const { timelines } = useClient()
  const channel = useChannel()
  const { self, may, members } = channel
  const confirm = useConfirm()
  if (message.ephemeral) return null
  const text = withoutMentions(message.content, members)
  const own = message.author.id === self.id
  const ask = () =>
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
  return (
    <div className="actions" role="toolbar" aria-label={t('chat.actions')}>
      {message.content && <Action name="copy" label={t('chat.copyText')} run={() => void copyText(text)} />}
      {own && <Action name="edit" label={t('action.edit')} run={() => onEdit(message.id)} />}
      {(own || may.manageMessages) && <Action name="trash" label={t('action.delete')} run={ask} />}
    </div>
  )
}

interface ActionProps {
  name: 'copy' | 'edit' | 'trash'
  label: string
  run(): void
}

function Action({ name, label, run }: ActionProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={run}>
      <Icon name={name} />
    </button>
  )
}
