import { useT } from '../core/i18n/i18n.tsx'

/** Opens and closes the form of a list entry. */
export function EditToggle({ name, open, onToggle }: { name: string; open: boolean; onToggle(): void }) {
  const t = useT()
  const label = open ? t('action.close') : t('action.edit')
  return (
    <button
      type="button"
      className="button secondary small"
      aria-expanded={open}
      aria-label={`${label}: ${name}`}
      onClick={onToggle}
    >
      {label}
    </button>
  )
}
