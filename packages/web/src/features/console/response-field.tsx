import { useId } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { withIndexKeys } from '../../ui/index-keys.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { exampleNames, exampleResponse, isWritten } from './example-responses.ts'

interface ResponseFieldProps {
  value: string
  onChange(value: string): void
  problems: readonly string[]
}

/** The JSON of a response, with buttons that insert examples. */
export function ResponseField({ value, onChange, problems }: ResponseFieldProps) {
  const t = useSettingsT()
  const id = useId()
  const confirm = useConfirm()
  const insert = (example: string) =>
    isWritten(value)
      ? confirm({
          title: t('settings.unsaved'),
          text: t('try.replaceText'),
          action: t('settings.discard'),
          run: async () => onChange(example),
        })
      : onChange(example)
  return (
    <div className="field">
      <label htmlFor={id}>{t('try.response')}</label>
      <div className="line">
        {exampleNames.map(name => (
          <button
            key={name}
            type="button"
            className="button secondary small"
            onClick={() => insert(exampleResponse(name))}
          >
            {t(`try.example.${name}`)}
          </button>
        ))}
      </div>
      <AutosizeTextarea
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
            {withIndexKeys(problems).map(({ key, item }) => (
              <li key={key}>{item}</li>
            ))}
          </ul>
        ) : (
          <p className="hint">{t('try.responseHint')}</p>
        )}
      </div>
    </div>
  )
}
