import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

interface FieldProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'id' | 'className'> {
  label: string
  value: string
  onChange(value: string): void
  hint?: ReactNode
  problem?: string | undefined
}

/** A labelled input whose hint and problem are its accessible description. */
export function Field({ label, value, onChange, hint, problem, autoComplete = 'off', ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        dir="auto"
        {...input}
        autoComplete={autoComplete}
        id={id}
        className="input"
        value={value}
        onChange={event => onChange(event.target.value)}
        aria-invalid={problem !== undefined}
        aria-describedby={hint || problem ? `${id}-about` : undefined}
      />
      {(hint || problem) && (
        <p id={`${id}-about`} className={problem ? 'problem' : 'hint'} role={problem ? 'alert' : undefined}>
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}
