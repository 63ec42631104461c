import { maxMentionCount } from '@gatehouse/protocol/limits'

/** The service counts up to `maxMentionCount`, which is shown as `99+`. */
export function formatCount(count: number): string {
  return count >= maxMentionCount ? `${maxMentionCount - 1}+` : String(count)
}

/** The number of unread mentions. Renders nothing for 0. */
export function CountBadge({ count }: { count: number }) {
  return count > 0 ? <span className="count">{formatCount(count)}</span> : null
}
