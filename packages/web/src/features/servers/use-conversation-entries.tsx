import type { UpdateDmBody } from '@gatehouse/protocol/channels'
import type { User } from '@gatehouse/protocol/users'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, Suspense, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useStore } from '../../core/stores/store.ts'
import type { MenuEntry } from '../../ui/menu.tsx'
import { ReportDialog } from './lazy-dialogs.ts'

/** What the user can do with a direct message. The events change the list in every window. `dialog` is the open one. */
export function useConversationEntries(): {
  entriesOf(channelId: string, recipient: User): MenuEntry[]
  dialog: ReactNode
} {
  const t = useT()
  const { api, unread } = useClient()
  const muted = useStore(unread.muted, ids => ids)
  const { mutate } = useMutation({
    mutationFn: ({ id, ...body }: UpdateDmBody & { id: string }) =>
      api.call('updateDirectMessage', { id, body }),
  })
  const [reported, setReported] = useState<{ channelId: string; recipient: User }>()
  const entriesOf = (id: string, recipient: User): MenuEntry[] => {
    const isMuted = muted.has(id)
    return [
      {
        id: 'mute',
        label: t(isMuted ? 'dm.unmute' : 'dm.mute'),
        icon: isMuted ? 'bell' : 'mute',
        run: () => mutate({ id, muted: !isMuted }),
      },
      { id: 'close', label: t('dm.close'), icon: 'close', run: () => mutate({ id, closed: true }) },
      {
        id: 'report',
        label: t('report.open'),
        icon: 'flag',
        run: () => setReported({ channelId: id, recipient }),
      },
    ]
  }
  const dialog = reported && (
    <Suspense fallback={null}>
      <ReportDialog target={reported} onClose={() => setReported(undefined)} />
    </Suspense>
  )
  return { entriesOf, dialog }
}
