import { type NumberedError, notSupported } from './api-errors.ts'

/** The paths of Discord's API for what does not exist here, by what the error names (discord/unsupported). */
const unsupported: Readonly<Record<string, RegExp>> = {
  'Reactions are': /\/reactions(\/|$)/,
  'Pinned messages are': /\/pins(\/|$)/,
  'Threads are': /\/(threads|thread-members)(\/|$)|^\/channels\/\d+\/users\//,
  'Polls are': /\/polls\//,
  'Crossposts are': /\/(crosspost|followers)$/,
  'Voice is':
    /^\/(voice|stage-instances)(\/|$)|\/(voice-states|voice-status|regions|soundboard-sounds)(\/|$)|^\/soundboard/,
  'Nicknames are': /\/members\/@me\/nick$/,
  'Emojis are': /\/emojis(\/|$)/,
  'Stickers are': /\/stickers(\/|$)|^\/sticker-packs/,
  'Scheduled events are': /\/scheduled-events(\/|$)/,
  'Automatic moderation is': /\/auto-moderation(\/|$)/,
  'Templates are': /\/templates(\/|$)/,
  'Creating guilds is': /^\/guilds$/,
  'This part of guilds is': new RegExp(
    '^/guilds/\\d+/(preview|prune|integrations|widget|vanity-url|welcome-screen|onboarding|' +
      'new-member-welcome|incident-actions|roles/member-counts)',
  ),
  'Monetization is': /\/(entitlements|skus|subscriptions)(\/|$)/,
}

/** The error for a path of Discord's API that no route has; undefined for other paths. */
export function findUnsupported(path: string): NumberedError | undefined {
  const what = Object.keys(unsupported).find(name => unsupported[name]?.test(path))
  return what === undefined ? undefined : notSupported(what)
}
