import { useI18n } from '../i18n/i18n.tsx'

/**
 * A moment that a program wrote, `1768478400:F`: Unix seconds and how to write them, in the reader's words and time
 * zone. The styles are those of the compatible platform.
 */
export function Moment({ moment }: { moment: string }) {
  const { dates } = useI18n()
  const [seconds, style = 'f'] = moment.split(':')
  const iso = new Date(Number(seconds) * 1000).toISOString()
  return (
    <time dateTime={iso} title={dates.moment(iso, 'F', Date.now())}>
      {dates.moment(iso, style, Date.now())}
    </time>
  )
}
