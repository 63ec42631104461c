import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigate, useParams } from 'react-router'
import { useSelf } from '../core/api/queries.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { ChannelNav, DirectNav, ServerRail } from '../features/servers/index.ts'
import { ClosePaneButton } from '../ui/close-pane-button.tsx'
import { getPane, type Pane, type Panes, PanesProvider } from '../ui/panes.ts'
import { PartBoundary } from '../ui/part-boundary.tsx'
import { useEscape } from '../ui/use-escape.ts'
import { useNarrow } from '../ui/use-narrow.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { DocumentTitle } from './document-title.tsx'
import { OwnershipOffers } from './ownership-offers.tsx'
import { UserPanel } from './user-panel.tsx'
import './shell.css'

/** The layout of the navigation and the main pane. On a narrow screen, the navigation covers the main pane. */
export function Shell() {
  const t = useT()
  const narrow = useNarrow()
  const location = useLocation()
  const { serverId, channelId } = useParams()
  const self = useSelf()
  const pane = narrow ? getPane(location.state) : undefined
  const show = useShow(pane)
  const [wideMembers, setWideMembers] = useState(() => innerWidth >= 1100)
  const panes: Panes = useMemo(
    () => ({
      navOpen: channelId === undefined || pane === 'nav',
      membersOpen: narrow ? pane === 'members' : wideMembers,
      isCovering: pane !== undefined,
      setNav: open => show(open ? 'nav' : undefined),
      setMembers: open => (narrow ? show(open ? 'members' : undefined) : setWideMembers(open)),
    }),
    [channelId, pane, narrow, wideMembers, show],
  )
  const { navOpen } = panes
  const closePane = useCallback(() => show(undefined), [show])
  useEscape(closePane, pane !== undefined)
  const sideHidden = narrow && !navOpen
  return (
    <PanesProvider value={panes}>
      <a className="skip" href="#messages">
        {t('app.skip')}
      </a>
      <DocumentTitle />
      <div className="shell">
        <div className={`side ${navOpen ? 'open' : ''} ${channelId ? '' : 'full-width'}`} inert={sideHidden}>
          <PartBoundary>
            <ServerRail />
          </PartBoundary>
          <div className="nav">
            <PartBoundary>
              {serverId ? <ChannelNav key={serverId} serverId={serverId} /> : <DirectNav />}
            </PartBoundary>
            <UserPanel self={self} />
          </div>
          {narrow && channelId && <ClosePaneButton onClose={closePane} />}
        </div>
        {narrow && navOpen && channelId && (
          <button
            type="button"
            className="pane-backdrop"
            aria-label={t('action.close')}
            onClick={closePane}
          />
        )}
        <div className="main" inert={narrow && navOpen}>
          <ConnectionBar />
          <OwnershipOffers selfId={self.id} />
          <PartBoundary>
            <Outlet />
          </PartBoundary>
        </div>
      </div>
    </PanesProvider>
  )
}

/** Opens and closes a pane by history entries. Moves the focus to the pane and back. */
function useShow(pane: Pane | undefined): (next: Pane | undefined) => void {
  const navigate = useNavigate()
  const location = useLocation()
  const opener = useRef<Element>(null)
  // `navigate(-1)` is asynchronous. A second call would go back twice.
  const closing = useRef(false)
  useEffect(() => {
    closing.current = false
    if (!pane) return
    document.querySelector<HTMLElement>(':not([inert]) > .pane-close')?.focus()
    return () => {
      const { activeElement, body } = document
      const lostFocus = activeElement === body || activeElement?.closest('[inert]') != null
      if (lostFocus && opener.current instanceof HTMLElement) opener.current.focus()
    }
  }, [pane])
  return useCallback(
    next => {
      if (next) {
        opener.current = document.activeElement
        void navigate(location, { state: { pane: next }, replace: pane !== undefined })
      } else if (pane && !closing.current) {
        closing.current = true
        void navigate(-1)
      }
    },
    [navigate, location, pane],
  )
}
