import type { Application } from '@gatehouse/protocol/applications'
import type { TryResponse } from '@gatehouse/protocol/interactions'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiError, type FieldError, fieldErrorText, pathAndText, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { commandText, type RunnableCommand, toEnteredOptions } from '../../core/commands.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useStore } from '../../core/stores/store.ts'
import { emptyTimeline } from '../../core/stores/timeline.ts'
import { CancelledError, useSubmit } from '../../ui/use-submit.ts'
import { MessageRow } from '../chat/index.ts'
import {
  type Entries,
  fieldErrorsByOption,
  OptionField,
  optionProblemText,
  parseCommand,
} from '../commands/index.ts'
import { CopyEvent } from './copy-event.tsx'
import { parseResponse } from './example-responses.ts'
import { ResponseField } from './response-field.tsx'
import { TargetField } from './target-field.tsx'
import { listResponses } from './trial-responses.ts'

interface TryFormProps {
  application: Application
  command: RunnableCommand
  channelId: string
  entries: Entries
  onEntries(entries: Entries): void
  /** JSON. */
  response: string
  onResponse(response: string): void
}

/** A form for the options of a command and for the response, with the result of the last submission. */
export function TryForm({
  application,
  command,
  channelId,
  entries,
  onEntries,
  response,
  onResponse,
}: TryFormProps) {
  const t = useSettingsT()
  const { api, queries, invocations } = useClient()
  const { member } = useChannelContext()
  const [localProblems, setLocalProblems] = useState<Record<string, string>>({})
  const [sentOptions, setSentOptions] = useState<readonly { name: string }[]>([])
  const [targetId, setTargetId] = useState<string>()
  const [result, setResult] = useState<TryResponse>()
  const { busy, error, submit } = useSubmit()
  const fieldErrors: readonly FieldError[] = error instanceof ApiError ? error.fieldErrors : []
  const responseErrors = fieldErrors.filter(({ path }) => path.startsWith('answer'))
  const optionErrors = fieldErrorsByOption(
    fieldErrors.filter(({ path }) => path.startsWith('options')),
    sentOptions,
    fieldError => fieldErrorText(fieldError, t),
  )
  const problems = { ...optionErrors, ...localProblems }
  const otherErrors = fieldErrors.filter(({ path }) => !/^(answer|options)\b/.test(path))
  const parsed = parseResponse(response)

  async function onSubmit(event?: FormEvent) {
    event?.preventDefault()
    if (busy) return
    const { options, problems: invalid } = parseCommand(command, entries)
    setLocalProblems(
      Object.fromEntries(
        Object.entries(invalid).map(([name, problem]) => [name, optionProblemText(problem, t)]),
      ),
    )
    if (Object.keys(invalid).length > 0 || !parsed) {
      // The errors of the last attempt go.
      return submit(() => Promise.reject(new CancelledError()))
    }
    setSentOptions(options)
    setResult(undefined)
    const body = {
      channelId,
      commandId: command.id,
      ...(command.type === 'slash' && { options: toEnteredOptions(command, options) }),
      ...(command.type !== 'slash' && targetId !== undefined && { targetId }),
      answer: parsed,
    }
    await submit(async () => {
      const tried = await api.call('tryCommand', { id: application.id, body })
      setResult(tried)
      const { event, modal } = tried
      const botName = member(command.application.botId)?.user.displayName ?? application.name
      if (modal) invocations.openModal({ interactionId: event.id, channelId, botName, modal })
    })
    void queries.invalidateQueries({ queryKey: keys.interactions(application.id) })
  }

  return (
    <>
      <form
        className="stack"
        aria-label={commandText(command.label, command.type)}
        onSubmit={event => void onSubmit(event)}
      >
        {command.type !== 'slash' && (
          <TargetField type={command.type} value={targetId} onChange={setTargetId} />
        )}
        {command.options.length > 0 && (
          <fieldset className="fieldset">
            <legend className="hint">{t('try.options')}</legend>
            <div className="command-fields anchored">
              {command.options.map(option => (
                <OptionField
                  key={option.name}
                  command={command}
                  option={option}
                  entries={entries}
                  problem={problems[option.name]}
                  onFocus={() => undefined}
                  onChange={entry => {
                    onEntries({ ...entries, [option.name]: entry })
                    setLocalProblems({ ...localProblems, [option.name]: '' })
                  }}
                  onSubmit={() => void onSubmit()}
                />
              ))}
            </div>
          </fieldset>
        )}
        <ResponseField
          value={response}
          onChange={onResponse}
          problems={[
            ...(parsed ? [] : [t('try.notJson')]),
            ...responseErrors.map(fieldError =>
              pathAndText(fieldError, t, fieldError.path.replace(/^answer\.?/, '')),
            ),
          ]}
        />
        <div className="line">
          <button type="submit" className="button" disabled={busy || !parsed}>
            {t('try.title')}
          </button>
          {error !== undefined && (
            <span className="problem" role="alert">
              {optionErrors[''] ??
                (otherErrors.map(fieldError => pathAndText(fieldError, t)).join(' ') ||
                  (fieldErrors.length === 0 ? problemText(error, t) : t('try.rejected')))}
            </span>
          )}
        </div>
      </form>
      {result && (
        <TryResult
          key={result.event.id}
          application={application}
          result={result}
          botId={command.application.botId}
        />
      )}
    </>
  )
}

/** The response, the later responses of the bot to what the user does in it, and the event. */
function TryResult({
  application,
  result,
  botId,
}: {
  application: Application
  result: TryResponse
  botId: string
}) {
  const t = useSettingsT()
  const { timelines } = useClient()
  const { channelId } = result.event
  const timeline = useStore(timelines.store, map => map.get(channelId) ?? emptyTimeline)
  const { loaded } = timeline
  // The gateway adds later responses only to a timeline that is loaded.
  useEffect(() => {
    if (!loaded) timelines.load(channelId).catch(() => undefined)
  }, [loaded, timelines, channelId])
  const responses = listResponses(timeline, result, botId)
  return (
    <section className="stack" aria-label={t('try.result')}>
      {responses.length > 0 && <h2 className="log-title">{t('try.preview')}</h2>}
      {responses.map(message => (
        <div key={message.id} className="try-response">
          <MessageRow message={message} isGrouped={false} editing={false} onEdit={() => undefined} />
        </div>
      ))}
      <h2 className="log-title">{t('try.event')}</h2>
      <pre className="code-block">{JSON.stringify(result.event, null, 2)}</pre>
      <span className="line">
        <CopyEvent application={application} event={result.event} />
      </span>
    </section>
  )
}
