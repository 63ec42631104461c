import { maxPassword } from '@gatehouse/protocol/limits'
import type { RecentProof } from '@gatehouse/protocol/second-factor'
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { useT } from '../i18n/i18n.tsx'
import { Field } from '../ui/field.tsx'
import { ModalDialog } from '../ui/modal.tsx'

/** Runs what changes one's factors; asks for the password where the service wants to see it. */
type Prove = <Answer>(run: (proof: RecentProof) => Promise<Answer>) => Promise<Answer>

/** The person closed the dialog: nothing is wrong, nothing was done. */
export class Withdrawn extends Error {}

interface Asked {
  run(proof: RecentProof): Promise<unknown>
  resolve(answer: unknown): void
  reject(error: unknown): void
}

const Context = createContext<Prove>(run => run(null))

export function useProve(): Prove {
  return useContext(Context)
}

export function ProofProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>()
  const prove: Prove = useCallback(async run => {
    try {
      return await run(null)
    } catch (error) {
      if (!wantsPassword(error)) throw error
      return new Promise((resolve, reject) =>
        setAsked({ run, resolve: answer => resolve(answer as Awaited<ReturnType<typeof run>>), reject }),
      )
    }
  }, [])
  return (
    <Context value={prove}>
      {children}
      {asked && <PasswordDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </Context>
  )
}

function wantsPassword(error: unknown): boolean {
  return error instanceof ApiError && error.faults.some(({ path }) => path === 'currentPassword')
}

function PasswordDialog({ asked, onClose }: { asked: Asked; onClose(): void }) {
  const t = useT()
  const [currentPassword, setCurrentPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    try {
      asked.resolve(await asked.run({ currentPassword }))
      onClose()
    } catch (error) {
      if (wantsPassword(error)) {
        setProblem(problemText(error, t))
        return setBusy(false)
      }
      asked.reject(error)
      onClose()
    }
  }
  function withdraw() {
    asked.reject(new Withdrawn())
    onClose()
  }
  return (
    <ModalDialog title={t('factor.confirmTitle')} onClose={withdraw}>
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
          <button type="button" className="button plain" onClick={withdraw}>
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
