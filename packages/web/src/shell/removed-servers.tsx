import type { UserServer } from '@gatehouse/protocol/servers'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { serversQuery } from '../core/api/query-options.ts'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { IconButton } from '../ui/icon-button.tsx'

/**
 * Navigates away from a server that the user is no longer a member of, and shows a notice. It compares the lists of
 * servers, so it handles both events and a new list after a gap.
 */
export function RemovedServers() {
  const t = useT()
  const client = useClient()
  const { data: servers } = useQuery(serversQuery(client.api))
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const previous = useRef(servers)
  const [removed, setRemoved] = useState<readonly UserServer[]>([])
  const [noticeNames, setNoticeNames] = useState<readonly string[]>([])

  useLayoutEffect(() => {
    const missing = (previous.current ?? []).filter(({ id }) => !includesServer(servers, id))
    previous.current = servers
    if (missing.length === 0) return
    setRemoved(before => [...before, ...missing])
    const names = missing.filter(({ id }) => !client.leavingServers.delete(id)).map(({ name }) => name)
    setNoticeNames(before => [...before, ...names])
  }, [servers, client])

  const isShown = removed.some(({ id }) => isWithin(pathname, id))
  useLayoutEffect(() => {
    if (isShown) void navigate('/', { replace: true })
  }, [isShown, navigate])

  // While the server is shown, its page would fetch the removed data again.
  useEffect(() => {
    if (isShown || removed.length === 0) return
    for (const { id } of removed) if (!includesServer(servers, id)) client.removeServerData(id)
    setRemoved([])
  }, [isShown, removed, servers, client])

  return (
    <div role="status">
      {noticeNames.length > 0 && (
        <div className="toast">
          <span className="grow">{t('server.removed', { name: noticeNames.join(', ') })}</span>
          <IconButton icon="close" label={t('action.close')} onClick={() => setNoticeNames([])} />
        </div>
      )}
    </div>
  )
}

function includesServer(servers: readonly UserServer[] | undefined, serverId: string): boolean {
  return servers?.some(({ id }) => id === serverId) ?? true
}

function isWithin(pathname: string, serverId: string): boolean {
  return `${pathname}/`.startsWith(`/channels/${serverId}/`)
}
