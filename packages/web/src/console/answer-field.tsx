import { useId } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { GrowingArea } from '../ui/growing-area.tsx'
import { inOrder } from '../ui/in-order.ts'
import { exampleAnswer, exampleNames } from './answers.ts'

interface AnswerFieldProps {
  value: string
  onChange(value: string): void
  problems: readonly string[]
}

/** The answer as a bot would send it, and examples to begin with. */
export function AnswerField({ value, onChange, problems }: AnswerFieldProps) {
  const t = useT()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t('try.answerField')}</label>
      <div className="line">
        {exampleNames.map(name => (
          <button
            key={name}
            type="button"
            className="button soft small"
            onClick={() => onChange(exampleAnswer(name))}
          >
            {t(`try.example.${name}`)}
          </button>
        ))}
      </div>
      <GrowingArea
        id={id}
        className="input code-input"
        rows={6}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={event => onChange(event.target.value)}
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-about`}
      />
      <div id={`${id}-about`}>
        {problems.length > 0 ? (
          <ul className="problem" role="alert">
            {inOrder(problems).map(({ key, item }) => (
              <li key={key}>{item}</li>
            ))}
          </ul>
        ) : (
          <p className="hint">{t('try.answerHint')}</p>
        )}
      </div>
    </div>
  )
}
