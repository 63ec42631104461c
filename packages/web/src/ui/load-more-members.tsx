import { useT } from '../core/i18n/i18n.tsx'
import type { MoreMembers } from '../core/servers/use-all-members.ts'

/** The number of loaded members of a large server, and a button that loads more. Nothing if all are loaded. */
export function LoadMoreMembers({ more }: { more: MoreMembers }) {
  const t = useT()
  if (!more) return null
  const { loaded, busy, load } = more
  return (
    <div className="line">
      <span className="hint grow" role="status">
        {t('member.loaded', { count: loaded })}
      </span>
      {/* Not `disabled`, because the button would lose the focus. */}
      <button
        type="button"
        className="button secondary small"
        aria-disabled={busy}
        onClick={() => busy || load()}
      >
        {t('member.loadMore')}
      </button>
    </div>
  )
}
