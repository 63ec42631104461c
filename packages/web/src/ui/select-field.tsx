import { useId } from 'react'

interface SelectFieldProps {
  label: string
  value: string
  options: readonly { value: string; text: string }[]
  onChange(value: string): void
}

/** A labelled select element. */
export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={event => onChange(event.target.value)}>
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  )
}
