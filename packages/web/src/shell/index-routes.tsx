import { Suspense, useState } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { useChannels, useDirectChannels, useServers } from '../core/api/queries.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { groupChannels } from '../core/servers/channel-order.ts'
import { justJoined, lastChannel } from '../core/stores/last-channel.ts'
import { AddServerDialog } from '../features/servers/index.ts'
import { Icon } from '../ui/icon.tsx'
import { MainBar } from '../ui/main-bar.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { useNarrow } from '../ui/use-narrow.ts'

/** Redirects to the last visited server, the first server, or the direct messages. */
export function RedirectToServer() {
  // The key redirects again after a second navigation to this page that interrupts the first redirect.
  const { key } = useLocation()
  const servers = useServers()
  const last = lastChannel.serverId()
  const server = servers.find(({ id }) => id === last) ?? servers[0]
  return <Navigate key={key} replace to={`/channels/${server?.id ?? '@me'}`} />
}

/** Redirects to the last visited channel of the server, or to the first one. */
export function ServerIndex() {
  const t = useT()
  const narrow = useNarrow()
  const { serverId = '' } = useParams()
  const { key, state } = useLocation()
  const servers = useServers()
  const { data: channels } = useChannels(serverId)
  if (!servers.some(({ id }) => id === serverId)) return <NotFound />
  if (!channels) return <MainBar />
  const last = lastChannel.channelId(serverId)
  const listed = groupChannels(channels).flatMap(group => group.channels)
  const channel = listed.find(({ id }) => id === last) ?? listed[0]
  // A narrow screen shows the channel list, unless the user just joined or has never opened a channel of the server.
  const opensChannel = !narrow || last === undefined || state === justJoined
  if (channel && opensChannel)
    return <Navigate key={key} replace to={`/channels/${serverId}/${channel.id}`} />
  return (
    <>
      <MainBar />
      <main className="empty">
        <Icon name="hash" />
        <h2>{t('server.noChannels')}</h2>
      </main>
    </>
  )
}

/** The direct messages, without a selected channel. */
export function DirectMessagesIndex() {
  const t = useT()
  const servers = useServers()
  const { data: direct } = useDirectChannels()
  const [adding, setAdding] = useState(false)
  return (
    <>
      <MainBar title={t('nav.direct')} />
      <main className="empty" id="messages">
        <Icon name="chat" />
        {servers.length === 0 ? (
          <>
            <h1>{t('server.none')}</h1>
            <p>{t('server.noneHint')}</p>
            <div className="line">
              <button type="button" className="button" onClick={() => setAdding(true)}>
                <Icon name="plus" />
                {t('server.add')}
              </button>
            </div>
          </>
        ) : (
          direct && (
            <>
              <h1>{t(direct.length > 0 ? 'dm.select' : 'dm.empty')}</h1>
              <p>{t(direct.length > 0 ? 'dm.selectHint' : 'dm.emptyHint')}</p>
            </>
          )
        )}
      </main>
      {adding && (
        <Suspense fallback={null}>
          <AddServerDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </>
  )
}
