import { useState } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { useMarkUnsaved } from '../../ui/unsaved.ts'

/** The new recovery codes. Each is valid for one sign-in. They cannot be shown again. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const t = useSettingsT()
  const [copied, setCopied] = useState(false)
  useMarkUnsaved(!copied, 'secret')
  return (
    <div className="secret-once" role="status">
      <strong>{t('factor.codes')}</strong>
      <p>{t('factor.codesOnce')}</p>
      <ul className="codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="line">
        <button
          type="button"
          className="button secondary small"
          onClick={() => void copyText(codes.join('\n')).then(setCopied)}
        >
          <Icon name="copy" />
          {copied ? t('action.copied') : t('action.copy')}
        </button>
        <button type="button" className="button small" onClick={onDone}>
          {t('factor.codesSaved')}
        </button>
      </div>
    </div>
  )
}
