import type { IncomingHttpHeaders } from 'node:http'
import { AuditReason, auditReasonHeader } from '@gatehouse/protocol/audit-log'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { parse } from '@gatehouse/protocol/parse'
import { invalid, invalidAll } from '../errors/app-error.ts'

/** Throws 400 unless the header is absent or URL-encoded text of up to 512 characters (community/audit-reason). */
export function readAuditReason(headers: IncomingHttpHeaders): string | undefined {
  const encoded = headers[auditReasonHeader.toLowerCase()]
  if (encoded === undefined) return undefined
  const { value, violations } = parse(AuditReason, { [auditReasonHeader]: decode(String(encoded)) })
  if (value === undefined) throw invalidAll(toFieldErrors(violations))
  return value[auditReasonHeader]
}

function decode(encoded: string): string {
  try {
    // Node.js reads other bytes as Latin-1, which they seldom are.
    if (/^[\x20-\x7e]*$/.test(encoded)) return decodeURIComponent(encoded)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw invalid(auditReasonHeader, 'invalid_format', 'must be URL-encoded UTF-8')
}
