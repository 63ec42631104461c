import { useI18n } from '../../core/i18n/i18n.tsx'

/** Discord's timestamp format: `1768478400:F` is Unix seconds and a style, in the locale and time zone of the user. */
export function Timestamp({ value }: { value: string }) {
  const { dates } = useI18n()
  const [seconds, style = 'f'] = value.split(':')
  const iso = new Date(Number(seconds) * 1000).toISOString()
  return (
    <time dateTime={iso} title={dates.timestamp(iso, 'F', Date.now())}>
      {dates.timestamp(iso, style, Date.now())}
    </time>
  )
}
