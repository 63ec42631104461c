import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'

/*
 * The formats of bodies, for the error of a body that was sent to the route of another format (webhooks/other-format).
 * That of GitHub has the header X-GitHub-Event.
 */

export function isDiscordBody({ content, embeds }: JsonObject): boolean {
  return typeof content === 'string' || Array.isArray(embeds)
}

export function isSlackBody({ text, blocks, attachments, payload }: JsonObject): boolean {
  const isSlackForm = typeof payload === 'string'
  return isSlackForm || typeof text === 'string' || Array.isArray(blocks) || hasSlackAttachment(attachments)
}

/** Attachments are in both formats: those of Discord describe files. */
function hasSlackAttachment(attachments: unknown): boolean {
  const members = ['text', 'fallback', 'pretext', 'fields', 'blocks']
  return (
    Array.isArray(attachments) &&
    attachments.some(attachment => isJsonObject(attachment) && members.some(member => member in attachment))
  )
}
