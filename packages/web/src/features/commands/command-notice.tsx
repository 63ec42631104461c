import type { RunnableCommand } from '../../core/commands.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'
import { findSimilarCommands, findTypedCommands } from './filter-commands.ts'

/** The commands of the channel, or why they are not available. */
export type KnownCommands =
  | { state: 'not_allowed' | 'loading' }
  | { state: 'failed'; retry(): void }
  | { state: 'loaded'; commands: readonly RunnableCommand[] }

interface CommandNoticeProps {
  id: string
  /** The first word that was typed, and the text after it. */
  name: string
  rest: string
  known: KnownCommands
  onUse(command: RunnableCommand): void
  /** Replaces the name in the text. */
  onRename(name: string): void
  onSend(): void
}

/** Explains why a text with a leading slash was not sent, and offers alternatives. */
export function CommandNotice({ id, name, rest, known, onUse, onRename, onSend }: CommandNoticeProps) {
  const t = useT()
  const commands = known.state === 'loaded' ? known.commands : []
  // The space ends the name of a subcommand.
  const typed = { name, rest: `${rest} `, hasSpace: true }
  const matches = findTypedCommands(commands, typed).map(({ command }) => command)
  const [first] = matches
  const similar = first ? [] : findSimilarCommands(commands, name)
  const reason = {
    not_allowed: () => t('command.notAllowed'),
    loading: () => t('command.loading'),
    failed: () => t('command.notLoaded'),
    loaded: () => (first ? t('command.isCommand', { name: first.label }) : t('command.unknown', { name })),
  }[known.state]
  return (
    <div id={id} className="notice composer-notice" role="alert">
      <Icon name="warning" />
      <span>{reason()}</span>
      {known.state === 'failed' && <NoticeAction label={t('action.retry')} onPress={known.retry} />}
      {matches.map(command => (
        <NoticeAction
          key={command.key}
          label={
            matches.length > 1
              ? t('command.useOf', { name: command.label, app: command.application.name })
              : t('command.use', { name: command.label })
          }
          onPress={() => onUse(command)}
        />
      ))}
      {similar.map(other => (
        <NoticeAction key={other.key} label={`/${other.label}`} onPress={() => onRename(other.name)} />
      ))}
      <NoticeAction label={t('command.sendAsMessage')} onPress={onSend} />
    </div>
  )
}
