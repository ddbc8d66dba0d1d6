/** The users to whom an issue can be assigned. */

import { mayUse } from '../../../access/features.ts'
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { canSeeIssue } from '../../../access/issues.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { Db } from '../../../db/database.ts'
import type { Issue, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { peopleIds } from '../issuables/issuables.ts'

/** The first of these users who can see it, as an issue has one assignee; otherwise none. `issue` is null before it is created. */
export async function assignableAmong(db: Db, project: LocatedProject, issue: Issue | null, ids: number[]): Promise<number[]> {
  const [id] = ids
  const user = id === undefined ? null : await findUser(db, String(id))
  return user && (await canBeAssigned(db, project, issue, user)) ? [user.id] : []
}

async function canBeAssigned(db: Db, project: LocatedProject, issue: Issue | null, user: User): Promise<boolean> {
  if (!mayAct(user)) return false
  const access = await findProject(db, String(project.id), user).catch(nullIfMissing)
  if (access === null) return false
  return issue ? canSeeIssue(access, issue, await peopleIds(db, 'issue_assignees', issue.id), user) : mayUse('issues', access)
}
