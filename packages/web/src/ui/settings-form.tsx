import type { ReactNode } from 'react'
import { useT } from '../core/i18n/i18n.tsx'
import { useMarkUnsaved } from './unsaved.ts'
import type { Submission } from './use-submit.ts'

interface SettingsFormProps {
  form: Submission & { dirty?: boolean }
  /** Whether there is a change to save; defaults to that of `form`. */
  dirty?: boolean
  /** Whether leaving the page would lose input; defaults to `dirty`. */
  unsaved?: boolean
  /** Whether the submit button is hidden while there is nothing to save. */
  hiddenUntilDirty?: boolean
  /** The text of the submit button. */
  label?: string
  onSave(): Promise<unknown>
  /** Adds a button that closes the form. */
  onCancel?(): void
  /** Further actions on what the form edits, below the submit button. */
  actions?: ReactNode
  children: ReactNode
}

/** A form on a page of settings, with its submit button and the result of the submission. */
export function SettingsForm({
  form: { busy, saved, problem, submit, ...form },
  dirty = form.dirty ?? true,
  unsaved = dirty,
  hiddenUntilDirty,
  label,
  onSave,
  onCancel,
  actions,
  children,
}: SettingsFormProps) {
  const t = useT()
  useMarkUnsaved(unsaved)
  const saveBar = (dirty || !hiddenUntilDirty) && (
    <div className="line">
      <button type="submit" className="button" disabled={!dirty || busy}>
        {label ?? t('action.save')}
      </button>
      <span role="status" className="hint">
        {saved && !dirty ? t('action.saved') : ''}
      </span>
      {problem && (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
    </div>
  )
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        void submit(onSave)
      }}
    >
      {children}
      {onCancel ? (
        <div className="line">
          {saveBar}
          <button type="button" className="button plain" onClick={onCancel}>
            {t('action.cancel')}
          </button>
        </div>
      ) : (
        saveBar
      )}
      {actions}
    </form>
  )
}
