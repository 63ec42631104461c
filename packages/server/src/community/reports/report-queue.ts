import { defaultListLimit, maxReportRecipients, reportDays } from '@gatehouse/protocol/limits'
import type { Message, MessageAuthor } from '@gatehouse/protocol/messages'
import type { Report, ReportDetails, ReportState, ReportsQuery } from '@gatehouse/protocol/reports'
import { findUsers, lockUserRow, type UserRecord, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { inBatches } from '../../kit/batches.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { findOrUnknown, type MessageRepository } from '../messages/index.ts'
import { filterViewers, listReportViewerIds } from '../permissions/index.ts'
import * as store from './report-store.ts'
import { readNames } from './reported-names.ts'

const auditActions = {
  open: 'REPORT_REOPEN',
  resolved: 'REPORT_RESOLVE',
  dismissed: 'REPORT_DISMISS',
} as const

/** Who reads the queue, and what of it. Nobody sees reports of themselves. */
export interface Viewer {
  userId: string
  /** Null: the reports of direct messages. */
  serverId: string | null
  /** The channels that they can view; undefined for all. */
  channelIds?: readonly string[] | undefined
}

export type ReportQueue = ReturnType<typeof createReportQueue>

/** The reports of servers and of direct messages. Does not check who may see them. */
export function createReportQueue({
  db,
  clock,
  events,
  auditLog,
  messages,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'> & { messages: Pick<MessageRepository, 'readCopies'> }) {
  async function toDetails(
    sql: Sql,
    rows: readonly store.ReportRow[],
    channelIds: Viewer['channelIds'],
  ): Promise<ReportDetails[]> {
    const withMessage = rows.filter(({ message }) => message !== null)
    const copies = withMessage.flatMap(({ message }) => message ?? [])
    const [users, copied, existing] = await Promise.all([
      findUsers(
        sql,
        rows.flatMap(({ userId, reporterId, closedBy }) => [userId, reporterId, closedBy ?? reporterId]),
      ),
      messages.readCopies(sql, copies),
      store.findMessageIds(
        sql,
        withMessage.map(({ subjectId }) => subjectId),
      ),
    ])
    const byReport = new Map(withMessage.map(({ id }, index) => [id, copied[index]]))
    return rows.map(row => ({
      ...toReport(row, users, byReport.get(row.id)),
      message: byReport.get(row.id) ?? null,
      names: readNames(row.message, channelIds),
      messageExists: existing.has(row.subjectId),
    }))
  }

  async function toReports(sql: Sql, rows: readonly store.ReportRow[]): Promise<Report[]> {
    return (await toDetails(sql, rows, undefined)).map(withoutMessage)
  }

  /** Publishes the event to those who may see the report, up to `maxReportRecipients`. */
  async function publish(
    tx: Transaction,
    t: 'REPORT_CREATE' | 'REPORT_UPDATE',
    row: store.ReportRow,
  ): Promise<Report> {
    const [report] = await toReports(tx, [row])
    if (report === undefined) throw notFound()
    const recipients = [...(await listRecipients(tx, row, clock()))].filter(id => id !== row.userId)
    tx.afterCommit(() => {
      for (const id of recipients) events.toUser(id, { t, d: report })
    })
    return report
  }

  async function find(sql: Sql, viewer: Viewer, id: string): Promise<store.ReportRow> {
    const row = await store.findReport(sql, viewer.serverId ?? '', id)
    if (row === undefined || row.userId === viewer.userId) throw notFound()
    const { channelIds } = viewer
    if (row.channelId !== null && channelIds?.includes(row.channelId) === false) throw notFound()
    return row
  }

  return {
    publish,

    /** Newest first. */
    async list(
      { userId, serverId, channelIds }: Viewer,
      { state, before = maxSnowflake, limit = defaultListLimit }: ReportsQuery,
    ): Promise<ReportDetails[]> {
      const filter = { serverId: serverId ?? '', viewerId: userId, channelIds, state, before, limit }
      return toDetails(db, await store.listReports(db, filter), channelIds)
    },

    /** Throws 404 if the viewer does not see it. */
    async get(sql: Sql, viewer: Viewer, id: string): Promise<ReportDetails> {
      const [report] = await toDetails(sql, [await find(sql, viewer, id)], viewer.channelIds)
      if (report === undefined) throw notFound()
      return report
    },

    /**
     * Records the act in the audit log of the server or instance. Throws 404 if the viewer does not see the report, and
     * 409 if another request has changed it at the same time, or if it cannot be opened again because its reporter has
     * an open report of the same.
     */
    async setState(
      tx: Transaction,
      viewer: Viewer,
      id: string,
      { state, actor }: { state: ReportState; actor: Actor },
    ): Promise<Report> {
      const row = await find(tx, viewer, id)
      if (row.state === state) {
        const [report] = await toReports(tx, [row])
        if (report === undefined) throw notFound()
        return report
      }
      if (state === 'open') {
        // A new report of the same waits for it.
        await lockUserRow(tx, row.reporterId)
        if (await store.hasOpenReport(tx, row)) throw isReported()
      }
      const closed = state !== 'open'
      const changed = await store.setState(tx, id, {
        before: row.state,
        state,
        closedBy: closed ? actor.userId : null,
        closedAt: closed ? clock() : null,
      })
      if (changed === undefined) throw new AppError('conflict', 'Another request has changed the report.')
      await auditLog.record(tx, {
        serverId: viewer.serverId,
        actor,
        action: auditActions[state],
        target: reportTarget(id),
        changes: changesOf(['state'], row, changed),
      })
      return publish(tx, 'REPORT_UPDATE', changed)
    },

    /** Deletes reports 90 days after they were closed. */
    async sweep(): Promise<void> {
      const time = clock() - reportDays * 86_400_000
      await inBatches(limit => store.deleteReportsClosedBefore(db, time, limit))
    },
  }
}

export function withoutMessage({
  message: _,
  names: __,
  messageExists: ___,
  ...report
}: ReportDetails): Report {
  return report
}

/** For the audit log. Without the name of the reported user, who must not learn of the report. */
export function reportTarget(id: string) {
  return { type: 'report', id, name: '' } as const
}

export function isReported(): AppError {
  return new AppError('conflict', 'There is an open report of this.')
}

async function listRecipients(
  sql: Sql,
  { serverId, channelId }: Pick<store.ReportRow, 'serverId' | 'channelId'>,
  now: number,
): Promise<Iterable<string>> {
  if (serverId === '') return store.listAdministratorIds(sql, maxReportRecipients)
  const userIds = await listReportViewerIds(sql, { serverId, now, limit: maxReportRecipients })
  return channelId === null ? userIds : filterViewers(sql, { channelId, serverId }, userIds)
}

function toReport(
  row: store.ReportRow,
  records: ReadonlyMap<string, UserRecord>,
  message: Message | undefined,
): Report {
  const { id, serverId, channelId, subjectId, reason, state, closedBy, closedAt } = row
  const user = (userId: string) => {
    const record = records.get(userId)
    return record ? userView(record) : findOrUnknown(userId, new Map())
  }
  const author: MessageAuthor = message?.author ?? user(row.userId)
  return {
    id,
    serverId: serverId || null,
    channelId,
    messageId: channelId === null ? null : subjectId,
    user: author,
    reporter: user(row.reporterId),
    reason,
    state,
    createdAt: new Date(row.createdAt).toISOString(),
    closedBy: closedBy === null ? null : user(closedBy),
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
  }
}
