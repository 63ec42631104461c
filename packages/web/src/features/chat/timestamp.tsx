import type { Dates } from '../../core/i18n/dates.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'

/** Discord's timestamp format: `1768478400:F` is Unix seconds and a style, in the locale and time zone of the user. */
export function Timestamp({ value }: { value: string }) {
  const { dates } = useI18n()
  const iso = toIso(value)
  return (
    <time dir="auto" dateTime={iso} title={dates.timestamp(iso, 'F', Date.now())}>
      {timestampText(value, dates)}
    </time>
  )
}

export function timestampText(value: string, dates: Dates): string {
  return dates.timestamp(toIso(value), value.split(':')[1] ?? 'f', Date.now())
}

function toIso(value: string): string {
  return new Date(Number(value.split(':')[0]) * 1000).toISOString()
}
