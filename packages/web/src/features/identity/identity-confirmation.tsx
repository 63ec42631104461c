import { maxPassword } from '@gatehouse/protocol/limits'
import type { PasskeyAssertion, SecondFactors } from '@gatehouse/protocol/second-factor'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { CancelledError, useSubmit } from '../../ui/use-submit.ts'

/** The body of a request that the service accepts only with a proof, if the sign-in is not recent. */
export type Proof = { currentPassword: string } | { code: string } | { passkey: PasskeyAssertion } | undefined

/**
 * Runs a request that changes how the user signs in. If the service requires a proof, opens a dialog and repeats it.
 */
type ConfirmIdentity = <Result>(run: (proof: Proof) => Promise<Result>) => Promise<Result>

/** What the dialog asks for: the password, or a second factor if the user has one. */
type RequiredProof = 'currentPassword' | 'code'

interface PendingRequest {
  required: RequiredProof
  run(proof: Proof): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

const Context = createContext<ConfirmIdentity>(run => run(undefined))

export function useIdentityConfirmation(): ConfirmIdentity {
  return useContext(Context)
}

interface ProviderProps {
  factors: SecondFactors | undefined
  children: ReactNode
}

export function IdentityConfirmationProvider({ factors, children }: ProviderProps) {
  const [pending, setPending] = useState<PendingRequest>()
  const confirmIdentity: ConfirmIdentity = useCallback(async run => {
    try {
      return await run(undefined)
    } catch (error) {
      const required = requiredProof(error)
      // A field of the form that sends the request has a wrong password.
      if (!required || hasCode(error, 'wrong_password')) throw error
      return new Promise((resolve, reject) =>
        setPending({
          required,
          run,
          resolve: result => resolve(result as Awaited<ReturnType<typeof run>>),
          reject,
        }),
      )
    }
  }, [])
  return (
    <Context value={confirmIdentity}>
      {children}
      {pending && <ProofDialog pending={pending} factors={factors} onClose={() => setPending(undefined)} />}
    </Context>
  )
}

function requiredProof(error: unknown): RequiredProof | undefined {
  if (!(error instanceof ApiError)) return undefined
  const paths = error.fieldErrors.map(({ path }) => path)
  if (paths.includes('currentPassword')) return 'currentPassword'
  return paths.includes('code') || paths.includes('passkey') ? 'code' : undefined
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.fieldErrors.some(fieldError => fieldError.code === code)
}

interface ProofDialogProps {
  pending: PendingRequest
  factors: SecondFactors | undefined
  onClose(): void
}

function ProofDialog({ pending, factors, onClose }: ProofDialogProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const [text, setText] = useState('')
  const form = useSubmit({}, error =>
    error instanceof DOMException ? t('factor.passkeyNotUsed') : problemText(error, t),
  )
  const isPassword = pending.required === 'currentPassword'
  async function repeat(createProof: () => Promise<Proof>) {
    try {
      pending.resolve(await pending.run(await createProof()))
    } catch (error) {
      if (error instanceof DOMException || requiredProof(error)) throw error
      pending.reject(error)
    }
    onClose()
  }
  async function requestPasskey(): Promise<Proof> {
    const options = await api.call('createPasskeyProofOptions')
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials.get({ publicKey })
    if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey was used.')
    // `navigator.credentials.get()` returns no other type.
    return { passkey: credential.toJSON() as PasskeyAssertion }
  }
  function cancel() {
    // The request is being sent. If it changes something, its result must be shown, for example new recovery codes.
    if (form.busy) return
    pending.reject(new CancelledError())
    onClose()
  }
  return (
    <FormDialog
      title={isPassword ? t('factor.confirmTitle') : t('factor.confirmFactorTitle')}
      form={{ ...form, problem: undefined }}
      action={t('action.continue')}
      isComplete={text !== ''}
      isCancellable={!form.busy}
      isUnsaved={false}
      onSubmit={() => repeat(async () => (isPassword ? { currentPassword: text } : { code: text }))}
      onClose={cancel}
    >
      <p className="hint">{isPassword ? t('factor.confirmHint') : t('factor.confirmFactorHint')}</p>
      {isPassword ? (
        <Field
          label={t('settings.currentPassword')}
          type="password"
          value={text}
          onChange={setText}
          required
          autoFocus
          maxLength={maxPassword}
          autoComplete="current-password"
          problem={form.problem}
        />
      ) : (
        <Field
          label={factors?.totp ? t('factor.anyCode') : t('factor.recoveryCode')}
          value={text}
          onChange={setText}
          required
          autoFocus
          maxLength={64}
          autoComplete="one-time-code"
          problem={form.problem}
        />
      )}
      {!isPassword && (factors?.passkeys.length ?? 0) > 0 && canUsePasskeys() && (
        <div className="line">
          <button
            type="button"
            className="button secondary"
            disabled={form.busy}
            onClick={() => void form.submit(() => repeat(requestPasskey))}
          >
            {t('factor.usePasskey')}
          </button>
        </div>
      )}
    </FormDialog>
  )
}

/** WebAuthn needs a secure context, and the JSON functions need a browser from 2024 or later. */
function canUsePasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  )
}
