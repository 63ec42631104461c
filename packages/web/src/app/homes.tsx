import { Suspense, useState } from 'react'
import { Navigate, useParams } from 'react-router'
import { useChannels, useDirectChannels, useServers } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { lastChannel } from './last-channel.ts'
import { MainBar } from './main-bar.tsx'
import { NotFound } from './not-found.tsx'
import { useNarrow } from './use-narrow.ts'

const AddServerDialog = lazyPart(() =>
  import('../servers/add-server-dialog.tsx').then(part => part.AddServerDialog),
)

/** Where one was last, else the first server, else what to do without one. */
export function Home() {
  const servers = useServers()
  const last = lastChannel.server()
  const server = servers.find(({ id }) => id === last) ?? servers[0]
  return server ? <Navigate replace to={`/channels/${server.id}`} /> : <Navigate replace to="/channels/@me" />
}

/** A server without a channel chosen: the one that was open last, or the first. */
export function ServerHome() {
  const t = useT()
  const narrow = useNarrow()
  const { serverId = '' } = useParams()
  const servers = useServers()
  const { data: channels } = useChannels(serverId)
  if (!servers.some(({ id }) => id === serverId)) return <NotFound />
  if (!channels) return <MainBar />
  const last = lastChannel.of(serverId)
  const first = [...channels].sort((a, b) => a.position - b.position)[0]
  const channel = channels.find(({ id }) => id === last) ?? first
  // On a narrow screen the list of channels is what one sees: nothing is chosen for the person.
  if (channel && !narrow) return <Navigate replace to={`/channels/${serverId}/${channel.id}`} />
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

/** Direct messages without one chosen. */
export function DirectHome() {
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
            <h1>{t('server.emptyHome')}</h1>
            <p>{t('server.emptyHomeHint')}</p>
            <div className="line">
              <button type="button" className="button" onClick={() => setAdding(true)}>
                <Icon name="plus" />
                {t('server.add')}
              </button>
            </div>
          </>
        ) : (
          <>
            <h1>{t(direct && direct.length > 0 ? 'dm.choose' : 'dm.empty')}</h1>
            <p>{t(direct && direct.length > 0 ? 'dm.chooseHint' : 'dm.emptyHint')}</p>
          </>
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
