import { maxAuditReason } from '@gatehouse/protocol/limits'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { type Proof, useIdentityConfirmation } from '../identity/index.ts'

/** What an administrator does, after a dialog with the reason and, if the sign-in is not recent, a proof. */
interface Act {
  title: string
  text: string
  /** The act does not destroy anything, so its button is not red. */
  isHarmless?: boolean
  /** A further field of the dialog, which is required. */
  field?: {
    label: string
    hint: string
    maxLength: number
    /** The texts of errors about its value, by error code. */
    problems: Readonly<Record<string, string>>
  }
  /** `reason` is for the audit log. */
  run(proof: Proof, input: { reason: string; field: string }): Promise<unknown>
}

const Context = createContext<(act: Act) => void>(() => {})

export function useAct(): (act: Act) => void {
  return useContext(Context)
}

export function ActProvider({ children }: { children: ReactNode }) {
  const [act, setAct] = useState<Act>()
  return (
    <Context value={setAct}>
      {children}
      {act && <ActDialog act={act} onClose={() => setAct(undefined)} />}
    </Context>
  )
}

function ActDialog({ act, onClose }: { act: Act; onClose(): void }) {
  const t = useSettingsT()
  const confirmIdentity = useIdentityConfirmation()
  const [reason, setReason] = useState('')
  const [field, setField] = useState('')
  const { problems, ...input } = act.field ?? { label: '' }
  const form = useSubmit(
    {},
    (error, translate) =>
      (error instanceof ApiError && problems?.[error.code]) || problemText(error, translate),
  )
  async function run() {
    await confirmIdentity(proof => act.run(proof, { reason, field }))
    onClose()
  }
  return (
    <FormDialog
      title={act.title}
      role="alertdialog"
      form={form}
      action={act.title}
      isDanger={!act.isHarmless}
      isComplete={!act.field || field.trim() !== ''}
      onSubmit={run}
      onClose={onClose}
    >
      <p>{act.text}</p>
      {act.field && (
        <Field {...input} value={field} onChange={setField} required spellCheck={false} autoFocus />
      )}
      <Field
        label={t('member.reason')}
        hint={t('member.reasonHint')}
        value={reason}
        onChange={setReason}
        maxLength={maxAuditReason}
      />
    </FormDialog>
  )
}
