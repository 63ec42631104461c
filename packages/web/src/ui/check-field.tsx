import { useId } from 'react'

interface CheckFieldProps {
  label: string
  hint: string
  checked: boolean
  onChange(checked: boolean): void
}

/** A labelled checkbox whose hint is its accessible description. */
export function CheckField({ label, hint, checked, onChange }: CheckFieldProps) {
  const id = useId()
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          onChange={event => onChange(event.target.checked)}
          aria-describedby={id}
        />
        {label}
      </label>
      <p id={id} className="hint check-hint">
        {hint}
      </p>
    </div>
  )
}
