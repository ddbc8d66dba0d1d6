/** SQL for reports of abuse. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { AbuseReport, AbuseReportTable, User } from '../../../db/tables.ts'

export interface ListedReport extends AbuseReport {
  reported: Pick<User, 'id' | 'username' | 'name' | 'state' | 'kind' | 'created_at'>
  reporter: Pick<User, 'username' | 'name'>
}

export function insertReport(db: Db, row: Insertable<AbuseReportTable>): Promise<AbuseReport> {
  return db.insertInto('abuse_reports').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Open ones, or those that were closed; the newest first. */
export async function listReports(db: Db, isOpen: boolean, page: PageOf): Promise<{ rows: ListedReport[]; total: number }> {
  const query = db
    .selectFrom('abuse_reports')
    .innerJoin('users as reported', 'reported.id', 'abuse_reports.user_id')
    .innerJoin('users as reporter', 'reporter.id', 'abuse_reports.reporter_id')
    .selectAll('abuse_reports')
    .select(['reported.username as username', 'reported.name as name', 'reported.state as state', 'reported.kind as kind'])
    .select(['reported.created_at as since', 'reporter.username as reporter_username', 'reporter.name as reporter_name'])
    .where('abuse_reports.closed_at', isOpen ? 'is' : 'is not', null)
    .orderBy('abuse_reports.id', 'desc')
  const { rows, total } = await paginate(query, page)
  return { rows: rows.map(listed), total }
}

interface Row extends AbuseReport {
  username: string
  name: string
  state: User['state']
  kind: User['kind']
  since: string
  reporter_username: string
  reporter_name: string
}

function listed({ username, name, state, kind, since, reporter_username, reporter_name, ...report }: Row): ListedReport {
  return {
    ...report,
    reported: { id: report.user_id, username, name, state, kind, created_at: since },
    reporter: { username: reporter_username, name: reporter_name },
  }
}

export async function reportById(db: Db, id: number): Promise<AbuseReport | null> {
  return (await db.selectFrom('abuse_reports').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** All open ones about a user. */
export async function closeReportsOf(db: Db, user_id: number): Promise<void> {
  await db.updateTable('abuse_reports').set({ closed_at: now() }).where('user_id', '=', user_id).where('closed_at', 'is', null).execute()
}
