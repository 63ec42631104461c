import { useMemo, useState } from 'react'
import { Outlet, useLocation, useParams } from 'react-router'
import { useSelf } from '../api/queries.ts'
import { useT } from '../i18n/i18n.tsx'
import { ChannelNav } from '../servers/channel-nav.tsx'
import { DirectNav } from '../servers/direct-nav.tsx'
import { ServerRail } from '../servers/server-rail.tsx'
import { Announcer } from './announcer.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { type Panes, PanesProvider } from './panes.ts'
import { Title } from './title.tsx'
import { useNarrow } from './use-narrow.ts'
import { UserPanel } from './user-panel.tsx'
import './shell.css'

/** Rail, channel list and what is open beside them. On a narrow screen the lists slide over the messages. */
export function Shell() {
  const t = useT()
  const narrow = useNarrow()
  const { pathname } = useLocation()
  const { serverId, channelId } = useParams()
  const self = useSelf()
  const [navOpen, setNav] = useState(channelId === undefined)
  const [membersOpen, setMembers] = useState(() => !narrow && innerWidth >= 1100)
  const panes: Panes = useMemo(() => ({ navOpen, membersOpen, setNav, setMembers }), [navOpen, membersOpen])

  // Another page closes what slid over the last one.
  const [place, setPlace] = useState(pathname)
  if (place !== pathname) {
    setPlace(pathname)
    setNav(channelId === undefined)
    if (narrow) setMembers(false)
  }

  const sideHidden = narrow && !navOpen
  return (
    <PanesProvider value={panes}>
      <a className="skip" href="#messages">
        {t('app.skip')}
      </a>
      <Title />
      <Announcer />
      <div className="shell">
        <div className={`side ${navOpen ? 'open' : ''} ${channelId ? '' : 'whole'}`} inert={sideHidden}>
          <ServerRail />
          <div className="nav">
            {serverId ? <ChannelNav key={serverId} serverId={serverId} /> : <DirectNav />}
            <UserPanel self={self} />
          </div>
        </div>
        {narrow && navOpen && channelId && (
          <button
            type="button"
            className="veil"
            aria-label={t('action.close')}
            onClick={() => setNav(false)}
          />
        )}
        <div className="main" inert={narrow && navOpen && channelId !== undefined}>
          <ConnectionBar />
          <Outlet />
        </div>
      </div>
    </PanesProvider>
  )
}
