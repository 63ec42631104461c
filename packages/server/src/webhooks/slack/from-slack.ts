import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { formatPath } from '@gatehouse/protocol/faults'
import * as limits from '@gatehouse/protocol/limits'
import type { Members } from '@gatehouse/protocol/members'
import { cleanName, isBlank, isLonger } from '@gatehouse/protocol/text'
import { cut, fitCards } from '../cut.ts'
import type { Draft } from '../draft.ts'
import { fromAttachment } from './attachment.ts'
import { renderBlocks } from './blocks.ts'
import { fromMarkup, fromPlain } from './markup.ts'
import { readHead, readLink, readObjects } from './read.ts'
import { invalidPayload, noText } from './refusal.ts'

/** A Slack-style payload as a message (D37, D47). Throws SlackRefusal; what is too long is cut, never refused. */
export function fromSlack(payload: Members): Draft {
  const attachments = readObjects(payload, 'attachments')
  if (attachments.length > limits.maxSlackAttachments) {
    throw invalidPayload('attachments', `at most ${limits.maxSlackAttachments} attachments are accepted`)
  }
  const rendered = renderBlocks(readObjects(payload, 'blocks'))
  const cards = [...rendered.pictures, ...attachments.flatMap(fromAttachment)]
  // Beside blocks, `text` is what a notification says.
  const text = rendered.text === '' ? readText(payload) : rendered.text
  const { content, card } = place(text, cards.length)
  const embeds = fitCards([...(card === undefined ? [] : [card]), ...cards].slice(0, limits.maxEmbeds))
  const checked = checkEmbeds(embeds)
  const [fault] = checked.faults
  if (fault !== undefined) throw invalidPayload(formatPath(fault.path), fault.message)
  if (content === '' && embeds.length === 0) throw noText()
  const name = cut(cleanName(readHead(payload, 'username')), limits.maxWebhookName)
  return {
    content,
    embeds: checked.embeds,
    // D36: `<!channel>` and its like are words here.
    allowed: undefined,
    name: name === '' ? undefined : name,
    avatar: readLink(payload, 'icon_url'),
  }
}

function readText(payload: Members): string {
  const words = readHead(payload, 'text')
  const text = (payload.mrkdwn === false ? fromPlain(words) : fromMarkup(words)).trim()
  return isBlank(text) ? '' : text
}

/** Text that is too long for a message goes into a card, if there is room for one. */
function place(text: string, cards: number): { content: string; card: Embed | undefined } {
  if (!isLonger(text, limits.maxContent) || cards >= limits.maxEmbeds) {
    return { content: cut(text, limits.maxContent), card: undefined }
  }
  return { content: '', card: { description: cut(text, limits.maxSlackCardText) } }
}
