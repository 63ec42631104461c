import type { RunnableCommand } from '../../core/commands.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'
import { findSimilarCommands } from './filter-commands.ts'

/** The commands of the channel, or why they are not available. */
export type KnownCommands =
  | { state: 'not_allowed' | 'loading' }
  | { state: 'failed'; retry(): void }
  | { state: 'loaded'; commands: readonly RunnableCommand[] }

interface CommandNoticeProps {
  id: string
  /** The name that was typed. */
  name: string
  known: KnownCommands
  onUse(command: RunnableCommand): void
  /** Replaces the name in the text. */
  onRename(name: string): void
  onSend(): void
}

/** Explains why a text with a leading slash was not sent, and offers alternatives. */
export function CommandNotice({ id, name, known, onUse, onRename, onSend }: CommandNoticeProps) {
  const t = useT()
  const commands = known.state === 'loaded' ? known.commands : []
  const matches = commands.filter(command => command.name === name)
  const similar = matches.length > 0 ? [] : findSimilarCommands(commands, name)
  const reason = {
    not_allowed: () => t('command.notAllowed'),
    loading: () => t('command.loading'),
    failed: () => t('command.notLoaded'),
    loaded: () => t(matches.length > 0 ? 'command.isCommand' : 'command.unknown', { name }),
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
              ? t('command.useOf', { name, app: command.application.name })
              : t('command.use', { name })
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
