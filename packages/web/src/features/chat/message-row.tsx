import { interactionTokenSeconds } from '@gatehouse/protocol/limits'
import type { Message } from '@gatehouse/protocol/messages'
import { memo, useEffect, useRef, useState } from 'react'
import { problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { commandText } from '../../core/commands.ts'
import { useI18n, useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { memberColor } from '../../core/servers/members.ts'
import { useStore } from '../../core/stores/store.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { MemberCardButton } from '../servers/index.ts'
import { ComponentRows } from './component-rows.tsx'
import { EditBox } from './edit-box.tsx'
import { EmbedCards } from './embed-card.tsx'
import { FormattedText } from './formatted-text.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageBoundary } from './message-boundary.tsx'
import { OfBot } from './of-bot.ts'
import './chat.css'

interface MessageRowProps {
  message: Message
  isGrouped: boolean
  editing: boolean
  onEdit(messageId: string | undefined): void
}

export const MessageRow = memo(function MessageRow({ message, editing, onEdit, ...row }: MessageRowProps) {
  const { dates, t } = useI18n()
  const { self, channel, member, isBlocked } = useChannelContext()
  const [isShown, setShown] = useState(false)
  const { author, mentions } = message
  const ownRoles = [channel.serverId, ...(member(self.id)?.roles ?? [])]
  const mentionsGroup = mentions.everyone || mentions.roles.some(id => ownRoles.includes(id))
  const mentioned =
    author.id !== self.id &&
    (mentions.users.includes(self.id) || (mentionsGroup && channel.serverId !== null))
  const isOfBlocked = channel.serverId !== null && isBlocked(author.id)
  if (isOfBlocked && !isShown) return <BlockedMessage onShow={() => setShown(true)} />
  const classes = ['message']
  // The row above does not show the author while it is collapsed.
  const isGrouped = row.isGrouped && !isOfBlocked
  if (isGrouped) classes.push('grouped')
  if (mentioned) classes.push('mentioned')
  if (message.ephemeral) classes.push('ephemeral')
  if (editing) classes.push('editing')
  return (
    <article
      className={classes.join(' ')}
      aria-label={`${author.displayName}, ${dates.time(message.createdAt)}`}
    >
      {message.interaction && <InteractionHeader message={message} />}
      {isGrouped ? (
        <time className="message-time" dateTime={message.createdAt} title={dates.full(message.createdAt)}>
          {dates.time(message.createdAt)}
        </time>
      ) : (
        <Avatar src={author.avatarProxyUrl ?? author.avatar} name={author.displayName} size={40} />
      )}
      <div className="message-main">
        {!isGrouped && (
          <header className="message-header">
            <Author message={message} />
            {author.webhookId ? (
              <span className="badge">{t('chat.webhook')}</span>
            ) : (
              author.bot && <span className="badge">{t('chat.bot')}</span>
            )}
            <time className="message-date" dateTime={message.createdAt} title={dates.full(message.createdAt)}>
              {dates.time(message.createdAt)}
            </time>
          </header>
        )}
        {editing ? (
          <EditBox message={message} onClose={() => onEdit(undefined)} />
        ) : (
          <>
            <MessageBoundary message={message}>
              <OfBot value={author.bot}>
                <Content message={message} />
              </OfBot>
            </MessageBoundary>
            <FailedEditNotice message={message} onEdit={onEdit} />
          </>
        )}
        {message.ephemeral && <EphemeralNotice message={message} />}
      </div>
      {!editing && <MessageActions message={message} onEdit={onEdit} />}
    </article>
  )
})

/** A message of a user whom the user blocks (community/blocks). */
function BlockedMessage({ onShow }: { onShow(): void }) {
  const t = useT()
  const article = useRef<HTMLElement>(null)
  const show = () => {
    // The button is removed, so the row gets its focus.
    article.current?.closest('li')?.focus()
    onShow()
  }
  return (
    <article ref={article} className="message grouped blocked" aria-label={t('block.message')}>
      <div className="message-main">
        <p className="notice">
          <Icon name="lock" />
          <span>{t('block.message')}</span>
          <NoticeAction label={t('block.show')} onPress={show} />
        </p>
      </div>
    </article>
  )
}

function Content({ message }: { message: Message }) {
  const { t, dates } = useI18n()
  const { author, content, embeds, components, editedAt, mentions } = message
  const state = useDeferredState(message)
  if (state === 'deferred') {
    return (
      <p className="thinking">
        <span className="dots" aria-hidden="true" />
        {t('chat.thinking', { name: author.displayName })}
      </p>
    )
  }
  if (state === 'expired') {
    return (
      <p className="notice">
        <Icon name="clock" />
        {t('chat.expired', { name: author.displayName })}
      </p>
    )
  }
  return (
    <>
      <FormattedText text={content} everyone={mentions.everyone} />
      {editedAt && (
        <small className="edited" title={t('chat.editedAt', { date: dates.full(editedAt) })}>
          {t('chat.edited')}
        </small>
      )}
      <EmbedCards embeds={embeds} />
      {components.length > 0 && <ComponentRows message={message} />}
    </>
  )
}

/**
 * A deferred response expires with its interaction token, also while the message is visible (bots/interaction-states,
 * bots/placeholder-id).
 */
function useDeferredState({ state, createdAt }: Message): Message['state'] {
  const { now } = useClient()
  const [expired, setExpired] = useState(false)
  useEffect(() => {
    if (state !== 'deferred') return
    const remainingMs = Date.parse(createdAt) + interactionTokenSeconds * 1000 - now()
    const timer = setTimeout(() => setExpired(true), Math.max(0, remainingMs))
    return () => clearTimeout(timer)
  }, [state, createdAt, now])
  return state === 'deferred' && expired ? 'expired' : state
}

function Author({ message }: { message: Message }) {
  const { author } = message
  const { channel, member, roles, nameOf } = useChannelContext()
  const tabIndex = useTabIndex()
  const authorMember = author.webhookId ? undefined : member(author.id)
  const color = authorMember && memberColor(authorMember, roles)
  const name = author.webhookId ? author.displayName : (nameOf(author.id) ?? author.displayName)
  if (author.webhookId) return <bdi className="message-author">{name}</bdi>
  return (
    <MemberCardButton
      user={{ ...author, avatar: author.avatar ?? '' }}
      serverId={channel.serverId}
      className="message-author"
      tabIndex={tabIndex}
      style={color ? { color } : undefined}
    >
      <bdi>{name}</bdi>
    </MemberCardButton>
  )
}

const usedTexts = { component: 'chat.pressed', modal_submit: 'chat.submitted' } as const

/** The user who used the command, component or modal that the message responds to. */
function InteractionHeader({ message }: { message: Message }) {
  const t = useT()
  const { nameOf } = useChannelContext()
  const { interaction } = message
  if (!interaction) return null
  const user = nameOf(interaction.user.id) ?? interaction.user.displayName
  return (
    <p className="interaction-header">
      <span className="interaction-line" aria-hidden="true" />
      <Avatar src={interaction.user.avatar} name={user} size={16} />
      {interaction.type === 'command' ? (
        <span className="ellipsis">
          {t('chat.used', { user })}{' '}
          <span className="interaction-command">
            {commandText(interaction.name, interaction.commandType)}
          </span>
        </span>
      ) : (
        <span className="ellipsis">{t(usedTexts[interaction.type], { user })}</span>
      )}
    </p>
  )
}

/** An edit whose box was closed before the service rejected it. */
function FailedEditNotice({ message, onEdit }: Pick<MessageRowProps, 'message' | 'onEdit'>) {
  const t = useT()
  const { failedEdits } = useClient()
  const failed = useStore(failedEdits.store, edits => edits.get(message.id))
  if (!failed) return null
  return (
    <p className="notice danger" role="alert">
      <Icon name="warning" />
      <span>
        {t('chat.notSaved')} {problemText(failed.error, t)}
      </span>
      <NoticeAction label={t('action.edit')} onPress={() => onEdit(message.id)} />
    </p>
  )
}

function EphemeralNotice({ message }: { message: Message }) {
  const t = useT()
  const { timelines } = useClient()
  return (
    <p className="notice">
      <Icon name="eye" />
      <span>{t('chat.onlyYou')}</span>
      <NoticeAction label={t('action.dismiss')} onPress={() => timelines.dismiss(message)} />
    </p>
  )
}
