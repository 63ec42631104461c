import { maxOpenReports } from '@gatehouse/protocol/limits'
import { allPermissions } from '@gatehouse/protocol/permissions'
import type {
  CreateReportBody,
  Report,
  ReportDetails,
  ReportState,
  ReportsQuery,
} from '@gatehouse/protocol/reports'
import { lockUserRow } from '../../accounts/users/index.ts'
import type { Actor } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import type { MessageRepository } from '../messages/index.ts'
import {
  findServerAccess,
  listVisibleChannelIds,
  requireChannel,
  requireReportPermission,
  requireServer,
} from '../permissions/index.ts'
import { isReported, type ReportQueue, type Viewer } from './report-queue.ts'
import * as store from './report-store.ts'
import { addNames } from './reported-names.ts'

type NewReport = Pick<
  store.ReportRow,
  'serverId' | 'channelId' | 'subjectId' | 'userId' | 'reporterId' | 'message'
>

export type Reports = ReturnType<typeof createReports>

export function createReports({
  db,
  clock,
  ids,
  messages,
  queue,
}: Pick<Deps, 'db' | 'clock' | 'ids'> & {
  messages: Pick<MessageRepository, 'copyMessage'>
  queue: Pick<ReportQueue, 'publish' | 'list' | 'setState'>
}) {
  /** 409 for an own message or oneself, for what the reporter has reported already, and at the limit. */
  async function createReport(
    tx: Transaction,
    report: NewReport,
    { reason }: CreateReportBody,
  ): Promise<Report> {
    const { reporterId, serverId } = report
    // Two requests at the same time do not exceed the limit.
    await lockUserRow(tx, reporterId)
    const row: store.ReportRow = {
      ...report,
      id: ids(),
      reason,
      state: 'open',
      createdAt: clock(),
      closedBy: null,
      closedAt: null,
    }
    if (!(await store.insertReport(tx, row))) throw isReported()
    if ((await store.countOpenReports(tx, reporterId, serverId)) > maxOpenReports)
      throw limitReached('openReports')
    return queue.publish(tx, 'REPORT_CREATE', row)
  }

  /** Throws 404 for others than members, and 403 for members who may not see the reports. */
  async function requireViewer(sql: Sql, userId: string, serverId: string): Promise<Viewer> {
    const access = await requireServer(sql, clock(), userId, serverId)
    requireReportPermission(access)
    // The owner and administrators also see the reports of deleted channels.
    if (access.permissions === allPermissions) return { userId, serverId }
    return { userId, serverId, channelIds: await listVisibleChannelIds(sql, userId, serverId) }
  }

  return {
    /** 404 for a message that the reporter cannot see. Ephemeral messages are not stored, so nobody can report them. */
    reportMessage(
      reporterId: string,
      channelId: string,
      messageId: string,
      body: CreateReportBody,
    ): Promise<Report> {
      return db.transaction(async tx => {
        const { channel } = await requireChannel(tx, clock(), reporterId, channelId)
        const message = await messages.copyMessage(tx, channelId, messageId)
        if (message === undefined) throw notFound()
        if (message.userId === reporterId) throw ownReport()
        const serverId = channel.serverId ?? ''
        const report = {
          serverId,
          channelId,
          subjectId: messageId,
          userId: message.authorId,
          reporterId,
          message: await addNames(tx, clock(), { serverId, channelId, copy: message.copy }),
        }
        return createReport(tx, report, body)
      })
    },

    /** 404 unless both are members. */
    reportMember(
      reporterId: string,
      serverId: string,
      userId: string,
      body: CreateReportBody,
    ): Promise<Report> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), reporterId, serverId)
        if ((await findServerAccess(tx, clock(), userId, serverId)) === undefined) throw notFound()
        if (userId === reporterId) throw ownReport()
        const report = { serverId, channelId: null, subjectId: userId, userId, reporterId, message: null }
        return createReport(tx, report, body)
      })
    },

    async listReports(userId: string, serverId: string, query: ReportsQuery): Promise<ReportDetails[]> {
      return queue.list(await requireViewer(db, userId, serverId), query)
    },

    /** Throws like `setState` of the queue. */
    updateReport(actor: Actor, serverId: string, reportId: string, state: ReportState): Promise<Report> {
      return db.transaction(async tx => {
        const viewer = await requireViewer(tx, actor.userId, serverId)
        return queue.setState(tx, viewer, reportId, { state, actor })
      })
    },
  }
}

function ownReport(): AppError {
  return new AppError('conflict', 'You cannot report yourself.')
}
