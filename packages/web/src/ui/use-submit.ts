import { useState } from 'react'
import { type Bounds, fieldErrorTexts, problemText, withoutFieldErrors } from '../core/api/client.ts'
import { useT } from '../core/i18n/i18n.tsx'
import type { Translate } from '../core/i18n/translate.ts'
import { useEdits } from './use-edits.ts'

/** The user cancelled the request of a form. Nothing was changed, and no error is shown. */
export class CancelledError extends Error {}

/** The state of the requests of a form. */
export interface Submission {
  busy: boolean
  /** Whether the last request succeeded. */
  saved: boolean
  /** The text of an error that no field shows. */
  problem: string | undefined
  /** Sends a request. Never rejects. */
  submit(request: () => Promise<unknown>): Promise<void>
}

/**
 * The state of a form that sends one request. `fieldProblems` has the errors of `fields`, which have the names of the
 * request body; `problem` is the text of the other errors.
 */
export function useSubmit<Name extends string = never>(
  fields?: Readonly<Partial<Record<Name, Bounds>>>,
  describe: (error: unknown, t: Translate) => string = problemText,
) {
  const t = useT()
  const [state, setState] = useState<{ busy: boolean; saved: boolean; error?: unknown }>({
    busy: false,
    saved: false,
  })
  async function submit(request: () => Promise<unknown>): Promise<void> {
    setState({ busy: true, saved: false })
    try {
      await request()
      setState({ busy: false, saved: true })
    } catch (error) {
      setState({ busy: false, saved: false, ...(error instanceof CancelledError ? {} : { error }) })
    }
  }
  const { busy, saved, error } = state
  const fieldProblems = fieldErrorTexts(error, fields, t)
  const otherError = withoutFieldErrors(error, Object.keys(fieldProblems))
  const problem = otherError === undefined ? undefined : describe(otherError, t)
  return { busy, saved, error, problem, fieldProblems, submit }
}

/**
 * The state of a form that edits `record`: what `useEdits` and `useSubmit` return. The edits that a request saved are
 * dropped. The properties of `record` have the names of the request body; `bounds` has those whose errors their fields
 * show.
 */
export function useEditForm<Fields extends object>(
  record: Fields,
  bounds?: { readonly [Name in keyof Fields & string]?: Bounds },
  describe?: (error: unknown, t: Translate) => string,
) {
  const { dropSubmitted, ...edits } = useEdits(record)
  const submission = useSubmit<keyof Fields & string>(bounds, describe)
  return {
    ...edits,
    ...submission,
    submit: (request: () => Promise<unknown>) =>
      submission.submit(async () => {
        await request()
        dropSubmitted()
      }),
    /** The properties of the `Field` that edits `name`. */
    field: <Name extends keyof Fields & string>(name: Name) => ({
      value: edits.fields[name],
      onChange(value: Fields[Name]) {
        const edited: Partial<Fields> = {}
        edited[name] = value
        edits.edit(edited)
      },
      maxLength: bounds?.[name]?.max,
      problem: submission.fieldProblems[name],
    }),
  }
}
