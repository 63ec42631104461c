// Owns Discord's API for bots that were written for it: its paths, objects, errors, gateway frames and signed requests.
// It translates them into operations and events of the other features.
// Does not own: any rule. Permissions, rates, caps, intents and visibility are those of the operations and events.
import type { Module } from '../events/module.ts'
import type { Operations } from '../http/operations.ts'

export interface DiscordDeps {
  operations: Operations
}

export function createDiscordModule(_deps: DiscordDeps): Module<null> {
  return { api: null, routes: [] }
}
