import type { MessageAuthor } from '@gatehouse/protocol/messages'

/** `webhookId`: a webhook has no username. */
type Named = Pick<MessageAuthor, 'username' | 'displayName' | 'webhookId'>

/**
 * A user in a text. Anybody can have the display name of somebody else, so their unique username follows, outside of
 * the isolate (UAX #9) in which letters from right to left stay.
 */
export function userText({ username, displayName, webhookId }: Named, name = displayName): string {
  return webhookId ? `\u2068${name}\u2069` : `\u2068${name}\u2069 (@${username})`
}

interface UserNameProps {
  user: Named
  /** The name that is shown instead of the display name. */
  name?: string
}

/** The name of somebody about whom the reader decides, with the username beside it. */
export function UserName({ user: { username, displayName, webhookId }, name = displayName }: UserNameProps) {
  return (
    <>
      <bdi>
        <strong>{name}</strong>
      </bdi>
      {!webhookId && <span className="hint"> @{username}</span>}
    </>
  )
}
