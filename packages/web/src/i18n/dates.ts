/** How dates and times are written, by the browser's locale and time zone. Times are ISO 8601 texts. */
export interface Dates {
  time(iso: string): string
  day(iso: string): string
  full(iso: string): string
  /** A length of time in whole hours or days, in words. */
  duration(seconds: number): string
  /** Local calendar day as `2026-1-31`, to tell days apart. */
  dayKey(iso: string): string
  /** Days between the two local calendar days: 0 is the same day, 1 the day before `now`. */
  daysAgo(iso: string, now: number): number
}

export function createDates(locale: string): Dates {
  const time = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const written = (format: Intl.DateTimeFormat, iso: string) => {
    const date = new Date(iso)
    return Number.isNaN(date.getTime()) ? '' : format.format(date)
  }
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return {
    time: iso => written(time, iso),
    day: iso => written(day, iso),
    full: iso => written(full, iso),
    duration: seconds => {
      const days = seconds / 86_400
      const [count, unit] = days >= 1 ? [days, 'day'] : [seconds / 3600, 'hour']
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    },
    dayKey: iso => {
      const date = new Date(iso)
      return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`
    },
    daysAgo: (iso, now) => Math.round((midnight(new Date(now)) - midnight(new Date(iso))) / 86_400_000),
  }
}
