import { useT } from '../core/i18n/i18n.tsx'

interface EditToggleProps {
  name: string
  open: boolean
  /** The label while the form is closed. Default: "Edit". */
  action?: string
  onToggle(): void
}

/** Opens and closes the form of a list entry. */
export function EditToggle({ name, open, action, onToggle }: EditToggleProps) {
  const t = useT()
  const label = open ? t('action.close') : (action ?? t('action.edit'))
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
