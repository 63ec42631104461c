/** Formats ISO 8601 times in the locale and time zone of the browser. */
export interface Dates {
  time(iso: string): string
  day(iso: string): string
  full(iso: string): string
  /** Discord's `<t:…:style>`: t T time, d D date, f F both, R relative to `now`. Another style is formatted as f. */
  timestamp(iso: string, style: string, now: number): string
  /** In whole minutes, hours or days. */
  duration(seconds: number): string
  /** The local calendar day as `2026-1-31`. */
  dayKey(iso: string): string
  /** The number of calendar days before `now`: 0 is the same day. */
  daysAgo(iso: string, now: number): number
}

export function createDates(locale: string): Dates {
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const longDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const formatIso = (format: Intl.DateTimeFormat, iso: string) => {
    const date = new Date(iso)
    return Number.isNaN(date.getTime()) ? '' : format.format(date)
  }
  // Consecutive messages are mostly of the same day, so the last day is cached.
  let day = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY, key: '' }
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return {
    time: iso => formatIso(time, iso),
    day: iso => formatIso(longDay, iso),
    full: iso => formatIso(full, iso),
    timestamp: (iso, style, now) =>
      style === 'R'
        ? formatRelative(locale, Date.parse(iso) - now)
        : formatIso(timestampFormat(locale, style), iso),
    duration: seconds => {
      const days = seconds / 86_400
      const hours = seconds / 3600
      const [count, unit] =
        days >= 1
          ? [days, 'day']
          : hours >= 1
            ? [hours, 'hour']
            : seconds >= 60
              ? [seconds / 60, 'minute']
              : [seconds, 'second']
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    },
    dayKey: iso => {
      const at = Date.parse(iso)
      if (at >= day.from && at < day.until) return day.key
      const date = new Date(at)
      const [year, month, number] = [date.getFullYear(), date.getMonth(), date.getDate()]
      day = {
        from: new Date(year, month, number).getTime(),
        until: new Date(year, month, number + 1).getTime(),
        key: `${year}-${month + 1}-${number}`,
      }
      return day.key
    },
    daysAgo: (iso, now) => Math.round((midnight(new Date(now)) - midnight(new Date(iso))) / 86_400_000),
  }
}

const timestampStyles: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
}

function timestampFormat(locale: string, style: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, timestampStyles[style] ?? timestampStyles.f)
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function formatRelative(locale: string, ms: number): string {
  const seconds = ms / 1000
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return format.format(Math.round(seconds / length), unit)
}
