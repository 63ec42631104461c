/** How dates and times are written, by the browser's locale and time zone. Times are ISO 8601 texts. */
export interface Dates {
  time(iso: string): string
  day(iso: string): string
  full(iso: string): string
  /** As the compatible platform's `<t:…:style>`: t T time, d D day, f F both, R how far from `now`; else as f. */
  moment(iso: string, style: string, now: number): string
  /** A length of time in whole hours or days, in words. */
  duration(seconds: number): string
  /** Local calendar day as `2026-1-31`, to tell days apart. */
  dayKey(iso: string): string
  /** Days between the two local calendar days: 0 is the same day, 1 the day before `now`. */
  daysAgo(iso: string, now: number): number
}

export function createDates(locale: string): Dates {
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const longDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const written = (format: Intl.DateTimeFormat, iso: string) => {
    const date = new Date(iso)
    return Number.isNaN(date.getTime()) ? '' : format.format(date)
  }
  // Messages of one day stand together, and there are many: the day is reckoned once.
  let day = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY, key: '' }
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return {
    time: iso => written(time, iso),
    day: iso => written(longDay, iso),
    full: iso => written(full, iso),
    moment: (iso, style, now) =>
      style === 'R' ? fromNow(locale, Date.parse(iso) - now) : written(momentFormat(locale, style), iso),
    duration: seconds => {
      const days = seconds / 86_400
      const [count, unit] = days >= 1 ? [days, 'day'] : [seconds / 3600, 'hour']
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

const momentStyles: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
}

function momentFormat(locale: string, style: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, momentStyles[style] ?? momentStyles.f)
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function fromNow(locale: string, ms: number): string {
  const seconds = ms / 1000
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return format.format(Math.round(seconds / length), unit)
}
