import type { InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { ownApplication } from '../applications/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'
import { eventOf, standingAt } from './interaction.ts'
import { type InteractionRecord, listInteractions } from './store.ts'

/** The last interactions of an application, oldest first, for its owner; 404 for anybody else. */
export async function interactionLog(
  { db, clock }: { db: Database; clock: Clock },
  ownerId: string,
  { applicationId, limit }: { applicationId: string; limit: number },
): Promise<InteractionLogEntry[]> {
  await ownApplication(db, ownerId, applicationId)
  const now = clock()
  return (await listInteractions(db, applicationId, limit)).map(interaction => entryOf(interaction, now))
}

function entryOf(interaction: InteractionRecord, now: number): InteractionLogEntry {
  const { id, type, name, channelId, serverId, delivery, response, respondedAt, createdAt } = interaction
  const { state, reason } = standingAt(interaction, now)
  const sent = eventOf(interaction)
  return {
    id,
    type,
    name,
    channelId,
    serverId,
    user: sent.user,
    createdAt: new Date(createdAt).toISOString(),
    state,
    sent,
    delivery,
    response,
    respondedAfterMs: respondedAt === null ? null : respondedAt - createdAt,
    reason: lateness(interaction) ?? reason ?? null,
  }
}

function lateness({ respondedAt, deadlineAt }: InteractionRecord): string | undefined {
  if (respondedAt === null || respondedAt < deadlineAt) return undefined
  return `The bot answered ${respondedAt - deadlineAt} ms after the deadline.`
}
