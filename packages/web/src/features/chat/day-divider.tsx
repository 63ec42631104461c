import { useI18n } from '../../core/i18n/i18n.tsx'

export function DayDivider({ at }: { at: string }) {
  const { t, dates } = useI18n()
  const daysAgo = dates.daysAgo(at, Date.now())
  const text = daysAgo === 0 ? t('chat.today') : daysAgo === 1 ? t('chat.yesterday') : dates.day(at)
  return (
    <h2 className="day-divider">
      <span>{text}</span>
    </h2>
  )
}
