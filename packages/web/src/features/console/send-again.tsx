import type { Application } from '@gatehouse/protocol/applications'
import type { EnteredOption, InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

interface SendAgainProps {
  application: Application
  entry: InteractionLogEntry
}

/** Runs a command of the developer once more, also one that was tried. One of others would run with other rights. */
export function SendAgain({ application, entry }: SendAgainProps) {
  const t = useSettingsT()
  const { invocations, queries } = useClient()
  const self = useSelf()
  const { busy, problem, submit } = useSubmit()
  const command = readCommand(entry.sent)
  if (command === undefined || entry.user.id !== self.id) return null
  const send = () =>
    submit(async () => {
      await invocations.runCommand(
        { channelId: entry.channelId, ...command },
        {
          botName: application.name,
          name: entry.name,
          ...(entry.commandType && { commandType: entry.commandType }),
        },
      )
      await queries.invalidateQueries({ queryKey: keys.interactions(application.id) })
    })
  return (
    <>
      <button type="button" className="button secondary small" disabled={busy} onClick={() => void send()}>
        {t('action.sendAgain')}
      </button>
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}

/** Undefined for the event of a component or modal. Its message may be gone. */
function readCommand(event: unknown) {
  const { type, data } = isJsonObject(event) ? event : {}
  if (type !== 'command' || !isJsonObject(data)) return undefined
  const { id, targetId, options } = data
  return {
    commandId: String(id),
    ...(typeof targetId === 'string' ? { targetId } : { options: toEntered(options) }),
  }
}

/** Events have the type of each option, and requests do not. */
function toEntered(options: unknown): EnteredOption[] {
  if (!Array.isArray(options)) return []
  return options.filter(isJsonObject).map(({ name, value, options }) => ({
    name: String(name),
    ...(options === undefined ? { value } : { options: toEntered(options) }),
  }))
}
