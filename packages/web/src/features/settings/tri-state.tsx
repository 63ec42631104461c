import { useId } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'

const choices = ['deny', 'neutral', 'allow'] as const
export type Choice = (typeof choices)[number]

const symbols: Readonly<Record<Choice, string>> = { deny: '✕', neutral: '–', allow: '✓' }

interface TriStateProps {
  label: string
  hint?: string
  /** What applies if nothing is allowed or denied. */
  neutral: string
  value: Choice
  disabled?: boolean
  /** The choices that cannot be made. */
  refused?: readonly Choice[]
  onChange(choice: Choice): void
}

export function TriState({
  label,
  hint,
  neutral,
  value,
  disabled = false,
  refused = [],
  onChange,
}: TriStateProps) {
  const t = useSettingsT()
  const name = useId()
  const textOf = (choice: Choice) => (choice === 'neutral' ? neutral : t(`overwrite.${choice}`))
  return (
    <fieldset className="fieldset tri-state" disabled={disabled}>
      <legend>
        {label}
        {hint && <span className="hint">{hint}</span>}
      </legend>
      <span className="tri-state-choices">
        {choices.map(choice => (
          <label key={choice} className={`tri-state-choice ${choice}`} title={textOf(choice)}>
            <input
              type="radio"
              name={name}
              aria-label={textOf(choice)}
              disabled={refused.includes(choice)}
              checked={value === choice}
              onChange={() => onChange(choice)}
            />
            <span aria-hidden="true">{symbols[choice]}</span>
          </label>
        ))}
      </span>
    </fieldset>
  )
}
