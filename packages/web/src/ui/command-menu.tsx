import type { ContextCommandType } from '@gatehouse/protocol/commands'
import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'
import { ApiError, problemText } from '../core/api/client.ts'
import { keys } from '../core/api/keys.ts'
import { useCommands } from '../core/api/queries.ts'
import { useClient } from '../core/client-context.ts'
import type { RunnableCommand } from '../core/commands.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { useChannelContext } from '../core/servers/channel-context.ts'
import { LazyMenu } from './lazy-menu.tsx'
import type { MenuEntry } from './menu.tsx'

interface CommandMenuProps extends Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'tabIndex' | 'onFocus'> {
  type: ContextCommandType
  /** The id of the user or message. */
  targetId: string
  className: string
  /** Called when a command was chosen. */
  onDone?(): void
  children: ReactNode
}

/** A button that opens the menu with the commands of bots for a user or a message. They load when it opens. */
export function CommandMenu({ type, targetId, onDone, children, ...button }: CommandMenuProps) {
  const t = useT()
  const { invocations, timelines, queries } = useClient()
  const { channel, member } = useChannelContext()
  const [open, setOpen] = useState(false)
  const { data: commands, error } = useCommands(channel.id, open, type)

  function describe(problem: unknown): string {
    const isDeleted = problem instanceof ApiError && problem.code === 'not_found'
    if (isDeleted) void queries.invalidateQueries({ queryKey: keys.commands(channel.id) })
    return isDeleted ? t('command.notFound') : problemText(problem, t)
  }

  function run({ id: commandId, name, application }: RunnableCommand) {
    const { reachesEnd, messages } = timelines.get(channel.id)
    const afterId = reachesEnd ? messages.at(-1)?.id : undefined
    const bot = member(application.botId)?.user
    void invocations.runCommand(
      { channelId: channel.id, commandId, targetId },
      {
        name,
        commandType: type,
        botName: bot?.displayName ?? application.name,
        botAvatar: bot?.avatar ?? application.icon,
        ...(afterId === undefined ? {} : { afterId }),
      },
      describe,
    )
    onDone?.()
  }

  const toNote = (label: string): MenuEntry[] => [
    { id: 'note', label, icon: 'bot', disabled: true, run() {} },
  ]
  const entries = commands?.map(
    (command): MenuEntry => ({
      id: command.key,
      label: command.label,
      detail: member(command.application.botId)?.user.displayName ?? command.application.name,
      icon: 'bot',
      run: () => run(command),
    }),
  )
  return (
    <LazyMenu
      {...button}
      label={t('command.menu')}
      entries={
        entries?.length === 0
          ? toNote(t('command.noneInMenu'))
          : (entries ?? (error ? toNote(problemText(error, t)) : undefined))
      }
      onOpenChange={setOpen}
    >
      {children}
    </LazyMenu>
  )
}
