import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import { maxReportReason } from './limits.ts'
import { PageQuery } from './lists.ts'
import { Message, MessageAuthor } from './messages.ts'
import { User } from './users.ts'
import {
  boolean,
  described,
  list,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  string,
  text,
} from './wire.ts'

export const ReportState = oneOf(
  ['open', 'resolved', 'dismissed'],
  '`open`: nobody has decided about it. `resolved`: something was done. `dismissed`: there was nothing to do.',
)
export type ReportState = InferOutput<typeof ReportState>

const reportFields = {
  id: described(Id, 'The id of the report.'),
  serverId: nullable(Id, 'The server; null for a message of a direct message.'),
  channelId: nullable(Id, 'The channel of the message; null for a report of a member.'),
  messageId: nullable(Id, 'The id of the message, which may be deleted; null for a report of a member.'),
  user: described(MessageAuthor, 'The author of the message, or the member.'),
  reporter: described(User, 'Who reported it.'),
  reason: string('Why, in the words of the reporter.'),
  state: ReportState,
  createdAt: described(Timestamp, 'When it was reported.'),
  closedBy: nullable(User, 'Who resolved or dismissed it; null while it is open.'),
  closedAt: nullable(Timestamp, 'When it was resolved or dismissed; null while it is open.'),
}

/** The body of REPORT_CREATE, and what the reporter gets: without the copy of the message. */
export const Report = object(reportFields, 'A report of a message or of a member.')
export type Report = InferOutput<typeof Report>

const named = (id: string) => ({ id: described(Id, id), name: string('The name.') })

/** Names, instead of the ids in the text of a reported message. */
export const ReportedNames = object(
  {
    users: list(
      openObject(
        {
          id: described(Id, 'The id of the user.'),
          username: string('The username.'),
          displayName: string('The nick, or the display name.'),
        },
        'A mentioned user.',
      ),
      'The mentioned users who were members of the server.',
    ),
    roles: list(
      openObject(named('The id of the role.'), 'A mentioned role.'),
      'The mentioned roles of the server.',
    ),
    channels: list(
      openObject(named('The id of the channel.'), 'The channel of the message, or a mentioned one.'),
      'The channel of the message and the mentioned ones, of those that the caller can view.',
    ),
  },
  'The names, when the message was reported, of its channel and of whom and what it mentions.',
)
export type ReportedNames = InferOutput<typeof ReportedNames>

/** One of `GET /api/servers/:id/reports`, and `GET /api/admin/reports/:id`. */
export const ReportDetails = object(
  {
    ...reportFields,
    message: nullable(
      Message,
      'The message as it was when it was reported, without components; null for a report of a member.',
    ),
    names: ReportedNames,
    messageExists: boolean('Whether the message is not deleted.'),
  },
  'A report with a copy of the message.',
)
export type ReportDetails = InferOutput<typeof ReportDetails>

/** `POST /api/channels/:id/messages/:messageId/reports` and `POST /api/servers/:id/members/:userId/reports`. */
export const CreateReportBody = object(
  {
    reason: text({
      min: 1,
      max: maxReportReason,
      description: 'Why, for the moderators or administrators: 1 to 512 characters.',
      clean: 'lines',
    }),
  },
  'A report.',
)
export type CreateReportBody = InferOutput<typeof CreateReportBody>

/** `PATCH /api/servers/:id/reports/:reportId` and `PATCH /api/admin/reports/:id`. */
export const UpdateReportBody = object({ state: ReportState }, 'The new state.')
export type UpdateReportBody = InferOutput<typeof UpdateReportBody>

/** The query of both lists, newest first. */
export const ReportsQuery = object(
  {
    before: PageQuery.entries.before,
    limit: PageQuery.entries.limit,
    state: optional(described(ReportState, 'Only reports in this state.')),
  },
  'A page of the reports.',
)
export type ReportsQuery = InferOutput<typeof ReportsQuery>
