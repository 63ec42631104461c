import { imageTypes, maxImageBytes } from '@gatehouse/protocol/limits'
import { type ChangeEvent, useRef, useState } from 'react'
import { useSettingsT } from '../core/i18n/settings-i18n.tsx'
import { Avatar } from './avatar.tsx'
import { ErrorText } from './error-text.tsx'
import { Panel } from './settings-page.tsx'
import { useSubmit } from './use-submit.ts'

interface ImageFieldProps {
  title: string
  src: string | null
  name: string
  onChoose(file: File): Promise<unknown>
  onRemove?(): Promise<unknown>
}

/** An avatar or icon with buttons to change and remove it. */
export function ImageField({ title, src, name, onChoose, onRemove }: ImageFieldProps) {
  const t = useSettingsT()
  const input = useRef<HTMLInputElement>(null)
  const [tooBig, setTooBig] = useState(false)
  const { busy, problem, submit } = useSubmit()
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    setTooBig(file.size > maxImageBytes)
    if (file.size <= maxImageBytes) void submit(() => onChoose(file))
  }
  return (
    <Panel title={title} hint={t('settings.imageHint')}>
      <div className="line">
        <Avatar src={src} name={name} size={80} />
        <button type="button" className="button" disabled={busy} onClick={() => input.current?.click()}>
          {t('settings.imageChange')}
        </button>
        {onRemove && (
          <button
            type="button"
            className="button plain"
            disabled={busy}
            onClick={() => void submit(onRemove)}
          >
            {t('settings.imageRemove')}
          </button>
        )}
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label={title}
          accept={imageTypes.join()}
          onChange={choose}
        />
      </div>
      <ErrorText text={tooBig ? t('settings.imageTooLarge') : problem} />
    </Panel>
  )
}
