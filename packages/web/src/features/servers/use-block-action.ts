import type { User } from '@gatehouse/protocol/users'
import { keys } from '../../core/api/keys.ts'
import { useBlockedIds } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { userText } from '../../ui/user-name.tsx'

/** Blocks another user or bot after a confirmation, or ends the block. */
export function useBlockAction(): (user: Pick<User, 'id' | 'username' | 'displayName'>) => {
  label: string
  isBlocked: boolean
  run(): void
} {
  const t = useT()
  const { api, queries } = useClient()
  const confirm = useConfirm()
  const blockedIds = useBlockedIds()
  return user => {
    const { id: userId } = user
    const name = userText(user)
    const isBlocked = blockedIds.has(userId)
    const label = t(isBlocked ? 'block.end' : 'block.start')
    const run = () =>
      confirm({
        title: label,
        text: t(isBlocked ? 'block.endConfirm' : 'block.startConfirm', { name }),
        isHarmless: isBlocked,
        run: async () => {
          await api.call(isBlocked ? 'deleteBlock' : 'createBlock', { userId })
          await queries.invalidateQueries({ queryKey: keys.blocks })
        },
      })
    return { label, isBlocked, run }
  }
}
