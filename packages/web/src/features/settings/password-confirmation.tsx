import { maxPassword } from '@gatehouse/protocol/limits'
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ModalDialog } from '../../ui/modal.tsx'
import { CancelledError } from '../../ui/settings-page.tsx'

/** The body of a request that the service accepts only with the password, if the sign-in is not recent. */
type Body = { currentPassword: string } | undefined

/** Runs a request that changes the second factors. If the service requires the password, opens a dialog and repeats it. */
type ConfirmPassword = <Result>(run: (body: Body) => Promise<Result>) => Promise<Result>

interface PendingRequest {
  run(body: Body): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

const Context = createContext<ConfirmPassword>(run => run(undefined))

export function usePasswordConfirmation(): ConfirmPassword {
  return useContext(Context)
}

export function PasswordConfirmationProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<PendingRequest>()
  const confirmPassword: ConfirmPassword = useCallback(async run => {
    try {
      return await run(undefined)
    } catch (error) {
      if (!needsPassword(error)) throw error
      return new Promise((resolve, reject) =>
        setPending({ run, resolve: result => resolve(result as Awaited<ReturnType<typeof run>>), reject }),
      )
    }
  }, [])
  return (
    <Context value={confirmPassword}>
      {children}
      {pending && <PasswordDialog pending={pending} onClose={() => setPending(undefined)} />}
    </Context>
  )
}

function needsPassword(error: unknown): boolean {
  return error instanceof ApiError && error.fieldErrors.some(({ path }) => path === 'currentPassword')
}

function PasswordDialog({ pending, onClose }: { pending: PendingRequest; onClose(): void }) {
  const t = useT()
  const [currentPassword, setCurrentPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    try {
      pending.resolve(await pending.run({ currentPassword }))
      onClose()
    } catch (error) {
      if (needsPassword(error)) {
        setProblem(problemText(error, t))
        return setBusy(false)
      }
      pending.reject(error)
      onClose()
    }
  }
  function cancel() {
    pending.reject(new CancelledError())
    onClose()
  }
  return (
    <ModalDialog title={t('factor.confirmTitle')} onClose={cancel}>
      <form className="stack" onSubmit={event => void submit(event)}>
        <p className="hint">{t('factor.confirmHint')}</p>
        <Field
          label={t('settings.currentPassword')}
          type="password"
          value={currentPassword}
          onChange={setCurrentPassword}
          required
          autoFocus
          maxLength={maxPassword}
          autoComplete="current-password"
          problem={problem}
        />
        <div className="line end">
          <button type="button" className="button plain" onClick={cancel}>
            {t('action.cancel')}
          </button>
          <button type="submit" className="button" disabled={busy || currentPassword === ''}>
            {t('action.continue')}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
