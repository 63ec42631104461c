import { maxRedirectUris } from '@gatehouse/protocol/limits'
import { useState } from 'react'
import { ApiError, type FieldError, fieldErrorText } from '../../core/api/client.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'

interface Uri {
  key: number
  text: string
  /** The user has just added it. */
  isNew?: boolean
}

/** The edited URIs of a form, with one field each. */
export interface Uris {
  lines: readonly Uri[]
  change(index: number, text: string): void
  add(): void
  remove(index: number): void
  /** Shows the saved URIs, whose hosts the service has converted to ASCII. */
  reset(saved: readonly string[]): void
  /** Removes the empty lines and returns the URIs to save. */
  compact(): string[]
  isDirty(saved: readonly string[]): boolean
  /** The error of the response about a line. Its path has the index of the URI in the last request. */
  fieldError(error: unknown, path: string, line: Uri): FieldError | undefined
  /** Whether a line shows a field error of the response. */
  hasFieldError(error: unknown, path: string): boolean
}

export function useUris(saved: readonly string[]): Uris {
  const [lines, setLines] = useState<Uri[]>(() => toLines(saved))
  const [sent, setSent] = useState<readonly number[]>([])
  const fieldError: Uris['fieldError'] = (error, path, { key }) =>
    findFieldError(error, `${path}[${sent.indexOf(key)}]`)
  const filled = lines.filter(({ text }) => text.trim() !== '')
  return {
    lines,
    change: (index, text) =>
      setLines(lines.map((line, position) => (position === index ? { ...line, text } : line))),
    add: () =>
      setLines([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, text: '', isNew: true }]),
    remove: index => setLines(lines.toSpliced(index, 1)),
    reset: savedUris => setLines(toLines(savedUris)),
    compact() {
      setLines(filled)
      setSent(filled.map(({ key }) => key))
      return filled.map(({ text }) => text.trim())
    },
    isDirty: savedUris => filled.map(({ text }) => text.trim()).join('\n') !== savedUris.join('\n'),
    fieldError,
    hasFieldError: (error, path) => lines.some(line => fieldError(error, path, line) !== undefined),
  }
}

function toLines(uris: readonly string[]): Uri[] {
  return uris.map((text, key) => ({ key, text }))
}

function findFieldError(error: unknown, path: string) {
  return error instanceof ApiError
    ? error.fieldErrors.find(fieldError => fieldError.path === path)
    : undefined
}

interface UriListProps {
  list: Uris
  /** The property of the request body that has the URIs, as in the paths of field errors. */
  path: string
  error: unknown
  /** The label of a line. Numbers start at 1. */
  label(number: number): string
  add: string
  placeholder: string
}

export function UriList({ list, path, error, label, add, placeholder }: UriListProps) {
  const t = useSettingsT()
  return (
    <>
      {list.lines.map((line, index) => {
        const fieldError = list.fieldError(error, path, line)
        return (
          <div key={line.key} className="line copy-line with-remove">
            <div className="grow">
              <Field
                label={label(index + 1)}
                value={line.text}
                autoFocus={line.isNew}
                onChange={text => list.change(index, text)}
                inputMode="url"
                spellCheck={false}
                placeholder={placeholder}
                problem={fieldError && fieldErrorText(fieldError, t)}
              />
            </div>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t('action.remove')}: ${label(index + 1)}`}
              title={t('action.remove')}
              onClick={() => list.remove(index)}
            >
              <Icon name="trash" />
            </button>
          </div>
        )
      })}
      {list.lines.length < maxRedirectUris && (
        <div className="line">
          <button type="button" className="button secondary small" onClick={list.add}>
            <Icon name="plus" />
            {add}
          </button>
        </div>
      )}
    </>
  )
}
