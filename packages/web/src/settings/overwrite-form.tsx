import type { Channel, Overwrite } from '@gatehouse/protocol/channels'
import { formatPermissions, has, Permission, parsePermissions } from '@gatehouse/protocol/permissions'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import type { Target } from './overwrite-target.ts'
import { SaveBar, useSubmit } from './settings-page.tsx'

/** What a channel can say about: the rest concerns the whole server. */
const names = [
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'MENTION_EVERYONE',
  'USE_COMMANDS',
  'MANAGE_MESSAGES',
  'MANAGE_WEBHOOKS',
  'MANAGE_CHANNELS',
] as const

const choices = ['deny', 'neutral', 'allow'] as const
type Choice = (typeof choices)[number]

interface OverwriteFormProps {
  channel: Channel
  target: Target
  name: string
  overwrite: Overwrite | undefined
  /** What one holds here: nobody changes anything else (D64). */
  changeable: bigint
  onRemoved(): void
}

/** Allow, deny or leave as it is, for each permission. */
export function OverwriteForm({
  channel,
  target,
  name,
  overwrite,
  changeable,
  onRemoved,
}: OverwriteFormProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const before = { allow: read(overwrite?.allow), deny: read(overwrite?.deny) }
  const [now, setNow] = useState(before)
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
  const dirty = now.allow !== before.allow || now.deny !== before.deny
  const path = `/api/channels/${channel.id}/overwrites/${target.id}`
  const again = () => queries.invalidateQueries({ queryKey: keys.channels(channel.serverId ?? '') })
  function save(event: FormEvent) {
    event.preventDefault()
    const body = {
      type: target.type,
      allow: formatPermissions(now.allow),
      deny: formatPermissions(now.deny),
    }
    void submit(async () => {
      await api.send('PUT', path, body)
      await again()
    })
  }
  const remove = () =>
    void submit(async () => {
      if (overwrite) await api.send('DELETE', path)
      await again()
      onRemoved()
    })
  const choose = (bit: bigint, choice: Choice) =>
    setNow({
      allow: choice === 'allow' ? now.allow | bit : now.allow & ~bit,
      deny: choice === 'deny' ? now.deny | bit : now.deny & ~bit,
    })
  return (
    <form className="stack" onSubmit={save}>
      <div className="tri-list">
        {names.map(permission => {
          const bit = Permission[permission]
          return (
            <TriState
              key={permission}
              label={t(`permission.${permission}`)}
              value={has(now.allow, bit) ? 'allow' : has(now.deny, bit) ? 'deny' : 'neutral'}
              disabled={!has(changeable, bit)}
              onChange={choice => choose(bit, choice)}
            />
          )
        })}
      </div>
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
      <div className="line">
        <button
          type="button"
          className="button soft small"
          disabled={busy}
          aria-label={t('overwrite.removeOf', { name })}
          onClick={remove}
        >
          {t('overwrite.remove')}
        </button>
      </div>
    </form>
  )
}

function read(set: string | undefined): bigint {
  return parsePermissions(set ?? '0') ?? 0n
}

const signs: Readonly<Record<Choice, string>> = { deny: '✕', neutral: '–', allow: '✓' }

interface TriStateProps {
  label: string
  value: Choice
  disabled: boolean
  onChange(choice: Choice): void
}

function TriState({ label, value, disabled, onChange }: TriStateProps) {
  const t = useT()
  const name = useId()
  return (
    <fieldset className="fieldset tri" disabled={disabled}>
      <legend>{label}</legend>
      <span className="tri-choices">
        {choices.map(choice => (
          <label key={choice} className={`tri-choice ${choice}`} title={t(`overwrite.${choice}`)}>
            <input
              type="radio"
              name={name}
              aria-label={t(`overwrite.${choice}`)}
              checked={value === choice}
              onChange={() => onChange(choice)}
            />
            <span aria-hidden="true">{signs[choice]}</span>
          </label>
        ))}
      </span>
    </fieldset>
  )
}
