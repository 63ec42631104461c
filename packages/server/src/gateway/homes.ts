import type { Bot } from './bot.ts'
import type { Control } from './control.ts'
import type { Session } from './session.ts'
import type { Shared } from './shared.ts'
import type { Viewer } from './viewer.ts'

interface HomesDeps {
  controls: Shared<undefined, Control>
  viewers: Shared<undefined, Viewer>
  bots: Shared<string, Bot>
}

/** What a session takes part in, opened for it and let go with it. */
export interface Homes {
  /** From now on the end of the credential ends the session. */
  obey(session: Session): Promise<void>
  /** Resolves when what the person or bot may be told reaches the session. */
  join(session: Session): Promise<void>
  leave(session: Session): void
}

export function createHomes({ controls, viewers, bots }: HomesDeps): Homes {
  function release({ identity: { kind, userId, credential } }: Session): void {
    if (kind === 'person') viewers.release(userId)
    else bots.release(credential)
  }

  return {
    async obey(session) {
      const { credential } = session.identity
      const control = await controls.acquire(credential, undefined)
      if (session.ended) return controls.release(credential)
      session.control = control
      control.add(session)
    },

    async join(session) {
      const { kind, userId, credential } = session.identity
      const home = await (kind === 'person'
        ? viewers.acquire(userId, undefined)
        : bots.acquire(credential, userId))
      if (session.ended) return release(session)
      session.home = home
      home.add(session)
    },

    leave(session) {
      const { control, home, identity } = session
      session.control = undefined
      session.home = undefined
      control?.remove(session)
      if (control !== undefined) controls.release(identity.credential)
      home?.remove(session)
      if (home !== undefined) release(session)
    },
  }
}
