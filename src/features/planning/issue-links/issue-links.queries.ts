/** SQL for links between issues. */
import type { Insertable, Selectable } from 'kysely'
import { issuesVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { Issue, IssueLinkTable } from '../../../db/tables.ts'

export type IssueLink = Selectable<IssueLinkTable>

/** An issue that is linked to another one, with the link. */
export interface LinkedIssue extends Issue {
  link_id: number
  link_type: IssueLink['link_type']
  /** The issue at which the link began. */
  source_id: number
  link_created_at: string
  link_updated_at: string
}

/** Issues linked to the issue that the viewer can see, the oldest link first: two statements. */
export function listLinked(db: Db, viewer: Viewer, issueId: number, page: PageOf): Promise<Found<LinkedIssue>> {
  const found = db
    .selectFrom('issue_links')
    .innerJoin('issues', (join) =>
      join.on((eb) =>
        eb(
          'issues.id',
          '=',
          eb.case().when('issue_links.source_id', '=', issueId).then(eb.ref('target_id')).else(eb.ref('source_id')).end(),
        ),
      ),
    )
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .where((eb) => eb.or([eb('issue_links.source_id', '=', issueId), eb('issue_links.target_id', '=', issueId)]))
    .where(issuesVisibleTo(viewer))
    .selectAll('issues')
    .select([
      'issue_links.id as link_id',
      'issue_links.link_type',
      'issue_links.source_id',
      'issue_links.created_at as link_created_at',
      'issue_links.updated_at as link_updated_at',
    ])
  return paginate(found.orderBy('issue_links.id'), page)
}

/** Null if it isn't a link of the issue. */
export async function linkOf(db: Db, issueId: number, id: number): Promise<IssueLink | null> {
  const found = db
    .selectFrom('issue_links')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]))
  return (await found.executeTakeFirst()) ?? null
}

export function insertLink(tx: Tx, link: Insertable<IssueLinkTable>): Promise<IssueLink> {
  return tx.insertInto('issue_links').values(link).returningAll().executeTakeFirstOrThrow()
}

/** False if it was deleted meanwhile. */
export async function deleteLink(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('issue_links').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
