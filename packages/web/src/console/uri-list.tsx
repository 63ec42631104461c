import { maxRedirectUris } from '@gatehouse/protocol/limits'
import { useState } from 'react'
import { ApiError, faultText } from '../api/client.ts'
import { useT } from '../i18n/i18n.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

interface Uri {
  key: number
  text: string
}

/** Addresses that are being written, one a line. */
export interface Uris {
  lines: readonly Uri[]
  change(index: number, text: string): void
  add(): void
  remove(index: number): void
  /** What is to be saved; lines that were left empty go. */
  given(): string[]
  isDirty(saved: readonly string[]): boolean
  /** Whether one of the lines says what is wrong. */
  locates(error: unknown, path: string): boolean
}

export function useUris(saved: readonly string[]): Uris {
  const [lines, setLines] = useState<Uri[]>(() => saved.map((text, key) => ({ key, text })))
  const filled = lines.filter(({ text }) => text.trim() !== '')
  return {
    lines,
    change: (index, text) => setLines(lines.map((line, at) => (at === index ? { ...line, text } : line))),
    add: () => setLines([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, text: '' }]),
    remove: index => setLines(lines.toSpliced(index, 1)),
    given() {
      setLines(filled)
      return filled.map(({ text }) => text.trim())
    },
    isDirty: others => filled.map(({ text }) => text.trim()).join('\n') !== others.join('\n'),
    locates: (error, path) => lines.some((_, index) => faultAt(error, `${path}[${index}]`) !== undefined),
  }
}

function faultAt(error: unknown, path: string) {
  return error instanceof ApiError ? error.faults.find(fault => fault.path === path) : undefined
}

interface UriListProps {
  list: Uris
  /** The member of the request that they are, as faults name it. */
  path: string
  error: unknown
  /** Of the line of that number, from 1. */
  label(number: number): string
  add: string
  placeholder: string
}

export function UriList({ list, path, error, label, add, placeholder }: UriListProps) {
  const t = useT()
  return (
    <>
      {list.lines.map((line, index) => {
        const fault = faultAt(error, `${path}[${index}]`)
        return (
          <div key={line.key} className="line copy-line with-remove">
            <div className="grow">
              <Field
                label={label(index + 1)}
                value={line.text}
                onChange={text => list.change(index, text)}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder={placeholder}
                problem={fault && faultText(fault, t)}
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
          <button type="button" className="button soft small" onClick={list.add}>
            <Icon name="plus" />
            {add}
          </button>
        </div>
      )}
    </>
  )
}
