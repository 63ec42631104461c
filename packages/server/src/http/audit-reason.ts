import type { IncomingHttpHeaders } from 'node:http'
import { AuditReason, auditReasonHeader } from '@gatehouse/protocol/audit-log'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { parse } from '@gatehouse/protocol/parse'
import { invalid, invalidAll } from '../errors/app-error.ts'

/**
 * Throws 400 unless the header is absent or has up to 512 characters, URL-encoded or as they are
 * (community/audit-reason).
 */
export function readAuditReason(headers: IncomingHttpHeaders): string | undefined {
  const given = headers[auditReasonHeader.toLowerCase()]
  return given === undefined ? undefined : checkAuditReason(decode(String(given)))
}

/** A reason that is no header. Throws 400. */
export function checkAuditReason(reason: string): string | undefined {
  const { value, violations } = parse(AuditReason, { [auditReasonHeader]: reason })
  if (value === undefined) throw invalidAll(toFieldErrors(violations))
  return value[auditReasonHeader]
}

/** Programs that encode nothing send a `%` that is no escape, or UTF-8, which Node.js reads as Latin-1. */
function decode(given: string): string {
  try {
    if (/^[\x20-\x7e]*$/.test(given)) return decodeURIComponent(given)
  } catch (error) {
    if (error instanceof URIError) return given
    throw error
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(given, 'latin1'))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw invalid(auditReasonHeader, 'invalid_format', 'must be UTF-8, as it is or URL-encoded')
  }
}
