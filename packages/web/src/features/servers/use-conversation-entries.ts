import type { UpdateDmBody } from '@gatehouse/protocol/channels'
import { useMutation } from '@tanstack/react-query'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useStore } from '../../core/stores/store.ts'
import type { MenuEntry } from '../../ui/menu.tsx'

/** What the user can do with a direct message. The events change the list in every window. */
export function useConversationEntries(): (channelId: string) => MenuEntry[] {
  const t = useT()
  const { api, unread } = useClient()
  const muted = useStore(unread.muted, ids => ids)
  const { mutate } = useMutation({
    mutationFn: ({ id, ...body }: UpdateDmBody & { id: string }) =>
      api.call('updateDirectMessage', { id, body }),
  })
  return id => {
    const isMuted = muted.has(id)
    return [
      {
        id: 'mute',
        label: t(isMuted ? 'dm.unmute' : 'dm.mute'),
        icon: isMuted ? 'bell' : 'mute',
        run: () => mutate({ id, muted: !isMuted }),
      },
      { id: 'close', label: t('dm.close'), icon: 'close', run: () => mutate({ id, closed: true }) },
    ]
  }
}
