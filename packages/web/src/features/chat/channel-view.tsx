import type { Channel } from '@gatehouse/protocol/channels'
import type { Member } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { ChannelProvider, useChannelContextValue } from '../../core/servers/channel-context.ts'
import { useIsPrivate } from '../../core/servers/use-viewers.ts'
import { useStore } from '../../core/stores/store.ts'
import { emptyTimeline } from '../../core/stores/timeline.ts'
import { ClosePaneButton } from '../../ui/close-pane-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { LazyMenu } from '../../ui/lazy-menu.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { MainBar } from '../../ui/main-bar.tsx'
import { usePanes } from '../../ui/panes.ts'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import { useEscape } from '../../ui/use-escape.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { MemberList, useBlockAction, useConversationEntries } from '../servers/index.ts'
import { Announcer } from './announcer.tsx'
import { Composer } from './composer.tsx'
import { MessageBoundary } from './message-boundary.tsx'
import { MessageList } from './message-list.tsx'
import { MessagesSkeleton } from './messages-skeleton.tsx'
import { PendingRow } from './pending-row.tsx'
import './chat.css'
import type { MenuEntry } from '../../ui/menu.tsx'

const membersButton = 'members-button'

/** The header, messages, composer and members of one channel. */
export function ChannelView({ channel, name }: { channel: Channel; name: string }) {
  const { timelines, markdown } = useClient()
  const context = useChannelContextValue(channel, name)
  const timeline = useStore(timelines.store, map => map.get(channel.id) ?? emptyTimeline)
  // Rendering plain text first and Markdown later would shift the messages.
  const canRender = useStore(markdown.store, renderer => renderer !== 'loading')
  const [editing, setEditing] = useState<string>()
  const { problem, retry } = useLoading(channel.id, timeline.loaded)

  return (
    <ChannelProvider value={context}>
      <Announcer />
      <Header channel={channel} name={name} canConfigure={context.may.manage || context.may.manageWebhooks} />
      <div className="channel">
        <main className="messages-pane" id="messages" tabIndex={-1}>
          {timeline.loaded && canRender ? (
            <PartBoundary>
              <MessageList timeline={timeline} editing={editing} onEdit={setEditing} />
            </PartBoundary>
          ) : (
            <>
              {problem && !timeline.loaded ? (
                <LoadFailed error={problem} onRetry={retry} />
              ) : (
                <MessagesSkeleton />
              )}
              {canRender && timeline.pending.length > 0 && (
                <ol className="pending-list">
                  {timeline.pending.map((pending, index) => (
                    <li key={pending.nonce}>
                      <MessageBoundary message={pending}>
                        <PendingRow pending={pending} isGrouped={index > 0} />
                      </MessageBoundary>
                    </li>
                  ))}
                </ol>
              )}
            </>
          )}
          <PartBoundary>
            <Composer timeline={timeline} onEditLast={setEditing} editing={editing !== undefined} />
          </PartBoundary>
        </main>
        <PartBoundary>
          <Members serverId={channel.serverId} viewers={context.viewers} />
        </PartBoundary>
      </div>
    </ChannelProvider>
  )
}

/** Loads the newest messages unless they are loaded, and again when the gateway reconnects. */
function useLoading(channelId: string, loaded: boolean) {
  const { timelines, markdown, connectionState } = useClient()
  const ready = useStore(connectionState, state => state === 'ready')
  const [problem, setProblem] = useState<unknown>()
  const retry = useCallback(() => {
    setProblem(undefined)
    void markdown.load()
    timelines.load(channelId).catch(setProblem)
  }, [timelines, markdown, channelId])
  useEffect(() => {
    if (!loaded) retry()
  }, [loaded, retry])
  useEffect(() => {
    if (ready) retry()
  }, [ready, retry])
  return { problem, retry }
}

interface HeaderProps {
  channel: Channel
  name: string
  canConfigure: boolean
}

function Header({ channel, name, canConfigure }: HeaderProps) {
  const t = useT()
  const { membersOpen, setMembers } = usePanes()
  const label = membersOpen ? t('nav.hideMembers') : t('nav.showMembers')
  const { recipient } = channel
  const isPrivate = useIsPrivate(channel)
  const icon = isPrivate
    ? ({ icon: 'lock', iconLabel: t('channel.private') } as const)
    : ({ icon: channel.serverId ? 'hash' : 'user' } as const)
  return (
    <MainBar {...icon} title={name} topic={recipient ? `@${recipient.username}` : channel.topic}>
      {canConfigure && (
        <Link
          className="icon-button"
          to={`/channels/${channel.serverId}/${channel.id}/settings`}
          aria-label={t('channel.settings', { name })}
          title={t('channel.settings', { name })}
        >
          <Icon name="settings" />
        </Link>
      )}
      {recipient && <ConversationMenu channelId={channel.id} recipient={recipient} />}
      {channel.serverId && (
        <IconButton
          icon="people"
          label={label}
          id={membersButton}
          aria-pressed={membersOpen}
          onClick={() => setMembers(!membersOpen)}
        />
      )}
    </MainBar>
  )
}

function ConversationMenu({ channelId, recipient }: { channelId: string; recipient: User }) {
  const t = useT()
  const { label, isBlocked, run } = useBlockAction()(recipient)
  const { entriesOf, dialog } = useConversationEntries()
  const blockEntry: MenuEntry = { id: 'block', label, icon: 'lock', danger: !isBlocked, run }
  return (
    <>
      <LazyMenu
        label={t('dm.menu', { name: recipient.displayName })}
        className="icon-button"
        entries={[...entriesOf(channelId, recipient), blockEntry]}
      >
        <Icon name="more" />
      </LazyMenu>
      {dialog}
    </>
  )
}

interface MembersProps {
  serverId: string | null
  viewers: readonly Member[] | undefined
}

function Members({ serverId, viewers }: MembersProps) {
  const t = useT()
  const narrow = useNarrow()
  const { membersOpen, setMembers } = usePanes()
  // Beside the messages, Escape closes the list while the focus is in it.
  const close = useCallback(() => {
    if (!document.querySelector('.members')?.contains(document.activeElement)) return
    setMembers(false)
    document.getElementById(membersButton)?.focus()
  }, [setMembers])
  useEscape(close, membersOpen && !narrow)
  if (!serverId || !membersOpen) return null
  return (
    <>
      {narrow && (
        <button
          type="button"
          className="pane-backdrop"
          aria-label={t('nav.hideMembers')}
          onClick={() => setMembers(false)}
        />
      )}
      <MemberList serverId={serverId} members={viewers} />
      {narrow && <ClosePaneButton onClose={() => setMembers(false)} />}
    </>
  )
}
