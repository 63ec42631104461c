import type { Channel } from '@gatehouse/protocol/channels'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { MainBar } from '../app/main-bar.tsx'
import { usePanes } from '../app/panes.ts'
import { useStore } from '../app/store.ts'
import { useNarrow } from '../app/use-narrow.ts'
import { useT } from '../i18n/i18n.tsx'
import { MemberList } from '../servers/member-list.tsx'
import { Icon } from '../ui/icon.tsx'
import { ChannelProvider, useChannelContext } from './channel-context.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'
import { MessagesSkeleton } from './messages-skeleton.tsx'
import { emptyTimeline } from './timeline.ts'
import './chat.css'

/** Head, messages, composer and members of one channel. */
export function ChannelView({ channel, name }: { channel: Channel; name: string }) {
  const t = useT()
  const { timelines, markdown } = useClient()
  const context = useChannelContext(channel, name)
  const timeline = useStore(timelines.store, map => map.get(channel.id) ?? emptyTimeline)
  // Text that is drawn twice flashes, and moves what one reads.
  const drawable = useStore(markdown.store, part => part !== 'waiting')
  const [editing, setEditing] = useState<string>()
  const { problem, retry } = useLoading(channel.id, timeline.loaded)

  return (
    <ChannelProvider value={context}>
      <Head channel={channel} name={name} mayConfigure={context.may.manage || context.may.manageWebhooks} />
      <div className="channel">
        <main className="messages-pane" id="messages" tabIndex={-1}>
          {timeline.loaded && drawable ? (
            <MessageList timeline={timeline} editing={editing} onEdit={setEditing} />
          ) : problem && !timeline.loaded ? (
            <div className="empty" role="alert">
              <Icon name="warning" />
              <h2>{t('app.failed')}</h2>
              <p>{problemText(problem, t)}</p>
              <div className="line">
                <button type="button" className="button" onClick={retry}>
                  {t('app.retry')}
                </button>
              </div>
            </div>
          ) : (
            <MessagesSkeleton />
          )}
          <Composer timeline={timeline} onEditLast={setEditing} editing={editing !== undefined} />
        </main>
        <Members serverId={channel.serverId} />
      </div>
    </ChannelProvider>
  )
}

/** Loads the newest messages where they are not there; tries again when the gateway is reached again. */
function useLoading(channelId: string, loaded: boolean) {
  const { timelines, markdown, connection } = useClient()
  const ready = useStore(connection, state => state === 'ready')
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

interface HeadProps {
  channel: Channel
  name: string
  mayConfigure: boolean
}

function Head({ channel, name, mayConfigure }: HeadProps) {
  const t = useT()
  const { membersOpen, setMembers } = usePanes()
  const label = membersOpen ? t('nav.hideMembers') : t('nav.showMembers')
  return (
    <MainBar icon={channel.serverId ? 'hash' : 'user'} title={name} about={channel.topic}>
      {mayConfigure && (
        <Link
          className="icon-button"
          to={`/channels/${channel.serverId}/${channel.id}/settings`}
          aria-label={t('channel.settings', { name })}
          title={t('channel.settings', { name })}
        >
          <Icon name="settings" />
        </Link>
      )}
      {channel.serverId && (
        <button
          type="button"
          className="icon-button"
          aria-label={label}
          title={label}
          aria-pressed={membersOpen}
          onClick={() => setMembers(!membersOpen)}
        >
          <Icon name="people" />
        </button>
      )}
    </MainBar>
  )
}

function Members({ serverId }: { serverId: string | null }) {
  const t = useT()
  const narrow = useNarrow()
  const { membersOpen, setMembers } = usePanes()
  if (!serverId || !membersOpen) return null
  return (
    <>
      {narrow && (
        <button
          type="button"
          className="veil"
          aria-label={t('nav.hideMembers')}
          onClick={() => setMembers(false)}
        />
      )}
      <MemberList serverId={serverId} />
    </>
  )
}
