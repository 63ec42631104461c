import type { Button } from '@gatehouse/protocol/components'
import type { Message } from '@gatehouse/protocol/messages'
import { ApiError, problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { InvocationNotice } from '../commands/invocation-notice.tsx'
import { type Invocation, isOpen } from '../commands/invocations.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { inOrder } from '../ui/in-order.ts'
import { safeHref } from './tokens.ts'

/** The buttons of a bot's message, and what became of a press. */
export function ButtonRows({ message }: { message: Message }) {
  const { invocations } = useClient()
  const used = useStore(invocations.store, list => list).filter(({ messageId }) => messageId === message.id)
  const over = used.filter(invocation => !isOpen(invocation))
  return (
    <>
      {inOrder(message.components).map(({ key, item: row }) => (
        <div key={key} className="buttons">
          {inOrder(row.components).map(({ key: place, item: button }) => (
            <MessageButton
              key={button.customId ?? place}
              message={message}
              button={button}
              press={used.find(({ customId }) => customId === button.customId)}
            />
          ))}
        </div>
      ))}
      {over.map(invocation => (
        <InvocationNotice key={invocation.nonce} invocation={invocation} />
      ))}
    </>
  )
}

interface MessageButtonProps {
  message: Message
  button: Button
  press: Invocation | undefined
}

function MessageButton({ message, button, press }: MessageButtonProps) {
  const t = useT()
  const { invocations } = useClient()
  const { style, label, emoji, customId, url, disabled } = button
  const words = (
    <>
      {emoji && <span aria-hidden={label ? 'true' : undefined}>{emoji}</span>}
      {label && <span>{label}</span>}
    </>
  )
  if (style === 'link') {
    const href = safeHref(url)
    if (!href || disabled) return <span className="chat-button link disabled">{words}</span>
    return (
      <a className="chat-button link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {words}
        <Icon name="external" />
      </a>
    )
  }
  const busy = press !== undefined && isOpen(press)
  const run = () => {
    if (busy || customId === undefined) return
    void invocations.press(
      { channelId: message.channelId, messageId: message.id, customId },
      {
        botName: message.author.displayName,
        describe: error =>
          error instanceof ApiError && error.code === 'not_found'
            ? t('interaction.buttonGone')
            : problemText(error, t),
      },
    )
  }
  return (
    <button
      type="button"
      className={`chat-button ${style}`}
      disabled={disabled}
      aria-busy={busy}
      aria-disabled={busy}
      title={busy ? t('interaction.busy') : undefined}
      onClick={run}
    >
      {words}
      {busy && <span className="spinner" aria-hidden="true" />}
    </button>
  )
}
