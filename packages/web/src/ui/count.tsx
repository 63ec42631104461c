import { maxMentionCount } from '@gatehouse/protocol/limits'

/** As it is shown: what was counted no further is `99+`. */
export function atMost(count: number): string {
  return count >= maxMentionCount ? `${maxMentionCount - 1}+` : String(count)
}

/** How many wait, beside what they wait in; nothing for none. */
export function Count({ count }: { count: number }) {
  return count > 0 ? <span className="count">{atMost(count)}</span> : null
}
