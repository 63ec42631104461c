// The forms of ISO 8601 that programs write: a date, or a date and time with optional seconds, fraction and time zone.
export const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$/

const longMonths = [1, 3, 5, 7, 8, 10, 12]

function daysIn(year: number, month: number): number {
  if (month !== 2) return longMonths.includes(month) ? 31 : 30
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
}

/**
 * Converts an ISO 8601 time to UTC with milliseconds (community/time). A time without a time zone is in UTC. Undefined
 * if it does not exist: a day that the month does not have, hour 24, a year outside 1 to 9999
 * (webhooks/embed-timestamp).
 */
export function normalizeTimestamp(text: string): string | undefined {
  const parts = isoTime.exec(text)
  if (!parts) return undefined
  const [, yearText, monthText, dayText, hourText, minuteText, secondText, fraction = '', , sign] = parts
  const year = Number(yearText)
  const month = Number(monthText)
  const day = Number(dayText)
  const hour = Number(hourText ?? 0)
  const minute = Number(minuteText ?? 0)
  const second = Number(secondText ?? 0)
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined

  const zoneHours = Number(parts[10] ?? 0)
  const zoneMinutes = Number(parts[11] ?? 0)
  if (zoneHours > 23 || zoneMinutes > 59) return undefined
  const ahead = (zoneHours * 60 + zoneMinutes) * (sign === '-' ? -1 : 1)

  // Date.UTC reads a year below 100 as one of the 20th century, setUTCFullYear does not.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - ahead, second, Number(fraction.slice(0, 3).padEnd(3, '0')))
  const normalYear = date.getUTCFullYear()
  return normalYear >= 1 && normalYear <= 9999 ? date.toISOString() : undefined
}
