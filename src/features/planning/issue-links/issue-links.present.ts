/** Links between issues as JSON. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { type DescribedIssue, describeIssues, presentIssue } from '../issues/issues.ts'
import type { LinkedIssue as LinkedIssueRow } from './issue-links.queries.ts'
import type { IssueLink, LinkedIssue } from './issue-links.schema.ts'
import { typeSeenFrom, type WholeLink } from './issue-links.service.ts'

/** The issues linked to this one. */
export async function presentLinked(
  app: App,
  user: User,
  issue: { id: number; project_id: number },
  rows: LinkedIssueRow[],
): Promise<Array<Presented<typeof LinkedIssue>>> {
  const described = await describeIssues(app.db, user, rows)
  return rows.map((row, index) =>
    Object.assign(presentIssue(app.config, described[index] as DescribedIssue, { within: issue.project_id }), {
      issue_link_id: row.link_id,
      link_type: typeSeenFrom(issue.id, row),
      link_created_at: row.link_created_at,
      link_updated_at: row.link_updated_at,
    }),
  )
}

export async function presentLink(app: App, user: User, { link, source, target }: WholeLink): Promise<Presented<typeof IssueLink>> {
  const [sourceIssue, targetIssue] = await describeIssues(app.db, user, [source, target])
  return {
    id: link.id,
    source_issue: presentIssue(app.config, sourceIssue as DescribedIssue),
    target_issue: presentIssue(app.config, targetIssue as DescribedIssue),
    link_type: link.link_type,
  }
}
