import type { Application } from '@gatehouse/protocol/applications'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import type { TryAnswer } from '@gatehouse/protocol/interactions'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, type Fault, faultText, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { MessageRow } from '../chat/message-row.tsx'
import { OptionField } from '../commands/option-field.tsx'
import { type Entries, faultsByOption, problemWords, readCommand } from '../commands/option-values.ts'
import { useT } from '../i18n/i18n.tsx'
import { useSubmit } from '../settings/settings-page.tsx'
import { AnswerField } from './answer-field.tsx'
import { firstAnswer, readAnswer } from './answers.ts'
import '../chat/chat.css'

interface TryFormProps {
  application: Application
  command: AvailableCommand
  channelId: string
}

/** The options of a command and the answer to it; under them, what came of the last try. */
export function TryForm({ application, command, channelId }: TryFormProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const [entries, setEntries] = useState<Entries>({})
  const [missing, setMissing] = useState<Record<string, string>>({})
  const [answer, setAnswer] = useState(firstAnswer)
  const [sent, setSent] = useState<readonly { name: string }[]>([])
  const [tried, setTried] = useState<TryAnswer>()
  const { busy, error, submit } = useSubmit(cause => problemText(cause, t))
  const faults: readonly Fault[] = error instanceof ApiError ? error.faults : []
  const aboutAnswer = faults.filter(({ path }) => path.startsWith('answer'))
  const aboutOptions = faultsByOption(
    faults.filter(({ path }) => path.startsWith('options')),
    sent,
    fault => faultText(fault, t),
  )
  const problems = { ...aboutOptions, ...missing }
  const read = readAnswer(answer)

  async function onSubmit(event?: FormEvent) {
    event?.preventDefault()
    if (busy) return
    const { options, problems: found } = readCommand(command, entries)
    setMissing(
      Object.fromEntries(Object.entries(found).map(([name, problem]) => [name, problemWords(problem, t)])),
    )
    if (Object.keys(found).length > 0 || !read) return
    setSent(options)
    setTried(undefined)
    const body = { channelId, commandId: command.id, options, answer: read }
    await submit(async () => {
      setTried(await api.send<TryAnswer>('POST', `/api/applications/${application.id}/try`, body))
    })
    void queries.invalidateQueries({ queryKey: keys.interactions(application.id) })
  }

  return (
    <>
      <form className="stack" aria-label={`/${command.name}`} onSubmit={event => void onSubmit(event)}>
        {command.options.length > 0 && (
          <fieldset className="fieldset">
            <legend className="hint">{t('try.options')}</legend>
            <div className="command-fields anchored">
              {command.options.map(option => (
                <OptionField
                  key={option.name}
                  option={option}
                  entry={entries[option.name]}
                  problem={problems[option.name]}
                  autoFocus={false}
                  onFocus={() => undefined}
                  onChange={entry => {
                    setEntries({ ...entries, [option.name]: entry })
                    setMissing({ ...missing, [option.name]: '' })
                  }}
                  onSubmit={() => void onSubmit()}
                />
              ))}
            </div>
          </fieldset>
        )}
        <AnswerField
          value={answer}
          onChange={setAnswer}
          problems={[
            ...(read ? [] : [t('try.notJson')]),
            ...aboutAnswer.map(fault => `${fault.path.replace(/^answer\.?/, '')}: ${faultText(fault, t)}`),
          ]}
        />
        <div className="line">
          <button type="submit" className="button" disabled={busy || !read}>
            {t('try.run')}
          </button>
          {error !== undefined && (
            <span className="problem" role="alert">
              {aboutOptions[''] ?? (faults.length === 0 ? problemText(error, t) : t('try.refused'))}
            </span>
          )}
        </div>
      </form>
      {tried && <Tried key={tried.message.id} tried={tried} />}
    </>
  )
}

function Tried({ tried: { event, message } }: { tried: TryAnswer }) {
  const t = useT()
  const dismissed = useStore(
    useClient().timelines.store,
    map => map.get(message.channelId)?.deleted.has(message.id) ?? false,
  )
  return (
    <section className="stack" aria-label={t('try.result')}>
      {!dismissed && (
        <>
          <h2 className="log-title">{t('try.answer')}</h2>
          <div className="try-answer">
            <MessageRow message={message} follows={false} editing={false} onEdit={() => undefined} />
          </div>
        </>
      )}
      <h2 className="log-title">{t('try.event')}</h2>
      <pre className="code-block">{JSON.stringify(event, null, 2)}</pre>
    </section>
  )
}
