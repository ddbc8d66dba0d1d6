/** Reports of abuse: a user tells administrators of another, once, and they look at it. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { AbuseReport, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid } from '../../../failure.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { insertReport } from './abuse-reports.queries.ts'

/** In the words of today's clients. */
export const abuseCategories = ['spam', 'offensive', 'phishing', 'crypto', 'credentials', 'copyright', 'malware', 'other'] as const

export interface WantedReport {
  category: string
  message: string
  /** The page where it can be seen; may be empty. */
  url: string
}

const maxMessage_chars = 5_000
const maxUrl_chars = 512

/** Throws 403 of oneself and of who is no person, and 400 for a field that is wrong and for a second report of one user. */
export async function reportAbuse(app: App, reporter: User, user: User, { category, message, url }: WantedReport): Promise<AbuseReport> {
  if (reporter.id === user.id || reporter.kind !== 'human') throw forbidden('You cannot report yourself.')
  if (user.kind === 'ghost') throw forbidden('The Ghost User cannot be reported')
  const known = abuseCategories.find((name) => name === category)
  const where = url.trim()
  assertValid({
    category: known ? null : 'is not included in the list',
    message: blankError(message) ?? lengthError(message, maxMessage_chars),
    url:
      where === ''
        ? null
        : (lengthError(where, maxUrl_chars) ?? (/^https?:\/\//i.test(where) && isUrl(where) ? null : 'must be a valid URL')),
  })
  try {
    return await inTransaction(app.db, async (tx) => {
      const row = { user_id: user.id, reporter_id: reporter.id, category: known ?? 'other', message, url: where, created_at: now() }
      const report = await insertReport(tx, row)
      await publish(tx, { type: 'abuse_reported', report, user, reporter })
      return report
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid('You have reported this user before.', error) : error
  }
}
