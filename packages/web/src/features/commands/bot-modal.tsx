import { checkFields, listTextInputs, type TextInput } from '@gatehouse/protocol/modals'
import { type FormEvent, useId, useRef, useState } from 'react'
import { ApiError, type FieldError, fieldErrorText, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { hasFailed, type OpenModal } from '../../core/stores/invocations.ts'
import { useStore } from '../../core/stores/store.ts'
import { AutosizeTextarea } from '../../ui/autosize-textarea.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { ModalDialog } from '../../ui/modal.tsx'
import { failureText } from './invocation-notice.tsx'

/** A modal of a bot. The texts stay in the dialog until the bot has responded. */
export function BotModal({ opened }: { opened: OpenModal }) {
  const { interactionId, modal, botName } = opened
  const t = useT()
  const { invocations } = useClient()
  const inputs = listTextInputs(modal)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(inputs.map(({ customId, value = '' }) => [customId, value])),
  )
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  const invocation = useStore(invocations.store, list => list).find(other => other.openedBy === interactionId)
  const isFailed = invocation !== undefined && hasFailed(invocation)
  const isBusy = invocation !== undefined && !isFailed

  function close() {
    if (invocation) invocations.dismiss(invocation.nonce)
    invocations.closeModal(interactionId)
  }

  /** Paths are `components[0].value`, with the index of the field. Returns whether there is an error of a field. */
  function showErrors(errors: readonly FieldError[]): boolean {
    const found = errors.flatMap(error => {
      const index = /^components\[(\d+)\]\.value$/.exec(error.path)?.[1]
      const input = index === undefined ? undefined : inputs[Number(index)]
      return input ? [[input.customId, fieldErrorText(error, t)] as const] : []
    })
    setProblems(Object.fromEntries(found))
    const first = inputs.findIndex(({ customId }) => found.some(([id]) => id === customId))
    form.current?.querySelectorAll<HTMLElement>('input, textarea')[first]?.focus()
    return found.length > 0
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy) return
    setProblem(undefined)
    if (invocation) invocations.dismiss(invocation.nonce)
    const given = inputs.map(({ customId }) => ({ customId, value: texts[customId] ?? '' }))
    const { fields, violations } = checkFields(modal, given)
    const errors = violations.map(({ path, code, message, min, max }) => ({
      path: `components[${path[1]}].value`,
      code,
      message,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    }))
    if (showErrors(errors)) return
    try {
      await invocations.submitModal(opened, fields)
    } catch (error) {
      if (error instanceof ApiError && showErrors(error.fieldErrors)) return
      const isGone =
        error instanceof ApiError && ['not_found', 'interaction_token_expired'].includes(error.code)
      const isRepeated = error instanceof ApiError && error.code === 'conflict'
      setProblem(
        isGone ? t('modal.expired') : isRepeated ? t('modal.submittedBefore') : problemText(error, t),
      )
    }
  }

  return (
    <ModalDialog title={modal.title} isDismissable={false} onClose={close}>
      <form ref={form} className="stack" noValidate onSubmit={event => void submit(event)}>
        <p className="hint">{t('modal.from', { name: botName })}</p>
        {inputs.map((input, index) => (
          <ModalField
            key={input.customId}
            input={input}
            text={texts[input.customId] ?? ''}
            problem={problems[input.customId]}
            isFirst={index === 0}
            onChange={text => {
              setTexts({ ...texts, [input.customId]: text })
              setProblems({ ...problems, [input.customId]: '' })
            }}
          />
        ))}
        <ErrorText text={isFailed ? failureText(invocation, t) : problem} />
        <div className="line end">
          {isBusy && (
            <span className="hint grow" role="status">
              {t('interaction.waiting', { name: botName })}
            </span>
          )}
          <button type="button" className="button plain" onClick={close}>
            {t(isFailed ? 'action.close' : 'action.cancel')}
          </button>
          <button type="submit" className="button" disabled={isBusy}>
            {t('modal.submit')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}

interface ModalFieldProps {
  input: TextInput
  text: string
  problem: string | undefined
  isFirst: boolean
  onChange(text: string): void
}

function ModalField({ input, text, problem, isFirst, onChange }: ModalFieldProps) {
  const t = useT()
  const id = useId()
  const { label, description, style, placeholder, required = true } = input
  const field = {
    id,
    className: 'input',
    autoComplete: 'off',
    dir: 'auto',
    autoFocus: isFirst,
    placeholder,
    value: text,
    'aria-required': required,
    'aria-invalid': Boolean(problem),
    'aria-describedby':
      [description && `${id}-description`, problem && `${id}-about`].filter(Boolean).join(' ') || undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!required && <span className="hint"> ({t('command.optional').toLowerCase()})</span>}
      </label>
      {description && (
        <p id={`${id}-description`} className="hint">
          {description}
        </p>
      )}
      {style === 'short' ? <input {...field} /> : <AutosizeTextarea {...field} rows={4} />}
      {problem && (
        <p id={`${id}-about`} className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
