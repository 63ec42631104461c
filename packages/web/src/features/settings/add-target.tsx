import { useId, useState } from 'react'
import { useT } from '../../core/i18n/i18n.tsx'
import type { MoreMembers } from '../../core/servers/use-all-members.ts'
import { Icon } from '../../ui/icon.tsx'
import { LoadMoreMembers } from '../../ui/load-more-members.tsx'

interface Group {
  label: string
  options: readonly { id: string; name: string }[]
}

interface AddTargetProps {
  label: string
  groups: readonly Group[]
  more?: MoreMembers
  onAdd(id: string): void
}

/** Selects what permissions are for. Shows nothing if there is nothing to select. */
export function AddTarget({ label, groups, more, onAdd }: AddTargetProps) {
  const t = useT()
  const id = useId()
  const [chosen, setChosen] = useState('')
  if (groups.every(({ options }) => options.length === 0)) return null
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="line copy-line">
        <select
          id={id}
          className="input grow"
          value={chosen}
          onChange={event => setChosen(event.target.value)}
        >
          <option value="">{t('overwrite.select')}</option>
          {groups.map(group => (
            <optgroup key={group.label} label={group.label}>
              {group.options.map(option => (
                <option key={option.id} value={option.id}>
                  {option.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <button
          type="button"
          className="button"
          disabled={chosen === ''}
          aria-label={`${t('action.add')}: ${label}`}
          onClick={() => {
            onAdd(chosen)
            setChosen('')
          }}
        >
          <Icon name="plus" />
          {t('action.add')}
        </button>
      </div>
      <LoadMoreMembers more={more} />
    </div>
  )
}
