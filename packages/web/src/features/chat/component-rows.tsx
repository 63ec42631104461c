import type { Button } from '@gatehouse/protocol/components'
import type { Message } from '@gatehouse/protocol/messages'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { hasFailed, type Invocation } from '../../core/stores/invocations.ts'
import { useStore } from '../../core/stores/store.ts'
import { Icon } from '../../ui/icon.tsx'
import { withIndexKeys } from '../../ui/index-keys.ts'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { safeHref } from '../../ui/safe-url.ts'
import { InvocationNotice } from '../commands/index.ts'
import { ChatLink } from './chat-link.tsx'
import { SelectMenu } from './select-menu.tsx'

/** The buttons and select menus of a bot's message, and the errors of their invocations. */
export function ComponentRows({ message }: { message: Message }) {
  const { invocations } = useClient()
  const own = useStore(invocations.store, list => list).filter(({ messageId }) => messageId === message.id)
  const failed = own.filter(hasFailed)
  return (
    <>
      {withIndexKeys(message.components).map(({ key, item: row }) => (
        <div key={key} className="buttons">
          {withIndexKeys(row.components).map(({ key: indexKey, item: component }) => {
            const key = component.customId ?? indexKey
            const common = {
              message,
              invocation: own.find(({ customId }) => customId === component.customId),
            }
            return component.type === 'button' ? (
              <MessageButton {...common} key={key} button={component} />
            ) : (
              <SelectMenu {...common} key={key} menu={component} />
            )
          })}
        </div>
      ))}
      {failed.map(invocation => (
        <InvocationNotice key={invocation.nonce} invocation={invocation} />
      ))}
    </>
  )
}

interface MessageButtonProps {
  message: Message
  button: Button
  invocation: Invocation | undefined
}

function MessageButton({ message, button, invocation }: MessageButtonProps) {
  const t = useT()
  const { invocations } = useClient()
  const tabIndex = useTabIndex()
  const { style, label, emoji, customId, url, disabled } = button
  const content = (
    <>
      {emoji && <span aria-hidden={label ? 'true' : undefined}>{emoji}</span>}
      {label && <span>{label}</span>}
    </>
  )
  if (style === 'link') {
    const href = safeHref(url)
    if (!href || disabled) return <span className="chat-button link disabled">{content}</span>
    return (
      <ChatLink className="chat-button link" href={href} text={label ?? emoji ?? ''} hidesHost>
        {content}
        <Icon name="external" />
      </ChatLink>
    )
  }
  const busy = invocation !== undefined && !hasFailed(invocation)
  const press = () => {
    if (busy || customId === undefined) return
    void invocations.invokeComponent(
      { channelId: message.channelId, messageId: message.id, customId },
      {
        botName: message.author.displayName,
        describe: error =>
          error instanceof ApiError && error.code === 'not_found'
            ? t('interaction.buttonNotFound')
            : problemText(error, t),
      },
    )
  }
  return (
    <button
      type="button"
      className={`chat-button ${style}`}
      tabIndex={tabIndex}
      disabled={disabled}
      aria-busy={busy}
      aria-disabled={busy}
      title={busy ? t('interaction.busy') : undefined}
      onClick={press}
    >
      {content}
      {busy && <span className="spinner" aria-hidden="true" />}
    </button>
  )
}
