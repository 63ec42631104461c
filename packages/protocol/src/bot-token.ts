/**
 * The parts of a bot token in the form of Discord's API, `<base64 of an id, unpadded>.<6 characters>.<token>`:
 * libraries read the id in it. Undefined for a token without the other parts.
 */
export function splitDiscordToken(text: string): { encodedId: string; token: string } | undefined {
  const [, encodedId, token] =
    /^([A-Za-z0-9+/]{1,40})\.[A-Za-z0-9_-]{6}\.(gbt_[0-9A-Za-z]+)$/.exec(text) ?? []
  return encodedId === undefined || token === undefined ? undefined : { encodedId, token }
}

export function encodeBotId(id: string): string {
  return btoa(id).replace(/=+$/, '')
}

/** The second part, which is the time of the token in Discord's API, says nothing here. */
export function toDiscordToken(botId: string, token: string): string {
  return `${encodeBotId(botId)}.AAAAAA.${token}`
}
