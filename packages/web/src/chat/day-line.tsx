import { useI18n } from '../i18n/i18n.tsx'

export function DayLine({ at }: { at: string }) {
  const { t, dates } = useI18n()
  const ago = dates.daysAgo(at, Date.now())
  const words = ago === 0 ? t('chat.today') : ago === 1 ? t('chat.yesterday') : dates.day(at)
  return (
    <h2 className="day">
      <span>{words}</span>
    </h2>
  )
}
