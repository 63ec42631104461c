import { useState } from 'react'
import { CopyField } from './copy-field.tsx'
import { useMarkUnsaved } from './unsaved.ts'

interface SecretOnceProps {
  /** The same secret in each form that programs take. */
  forms: readonly { label: string; value: string; hint: string }[]
}

/** A secret that is shown once. Leaving the page asks until the user has copied one of its forms. */
export function SecretOnce({ forms }: SecretOnceProps) {
  const [copied, setCopied] = useState(false)
  useMarkUnsaved(!copied, 'secret')
  return (
    <div className="secret-once" role="status">
      {forms.map(form => (
        <CopyField key={form.label} {...form} onCopied={() => setCopied(true)} />
      ))}
    </div>
  )
}
