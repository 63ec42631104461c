import type { RunnableCommand } from '../../core/commands.ts'
import { Avatar } from '../../ui/avatar.tsx'

/** A command in the list of suggestions, with its application, because two commands may have the same name. */
export function CommandSuggestion({ command }: { command: RunnableCommand }) {
  const { label, description, application, options } = command
  return (
    <>
      <Avatar src={application.icon} name={application.name} size={32} />
      <span className="suggestion-text">
        <span className="suggestion-command">
          <strong>/{label}</strong>
          {options
            .filter(({ required }) => required)
            .map(option => (
              <span key={option.name} className="suggestion-option">
                {option.label ?? option.name}
              </span>
            ))}
        </span>
        <small className="ellipsis">{description}</small>
      </span>
      <span className="suggestion-detail ellipsis">{application.name}</span>
    </>
  )
}
