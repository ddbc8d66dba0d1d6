/**
 * The rules for reading the things in a project, as data. Snippets and milestones aren't included: a rule would query the memberships of
 * the viewer twice, where their handwritten predicates query them once. Nor are notes: a list of them is about one thing, for
 * which the viewer's level is known already.
 */
import type { ExpressionBuilder } from 'kysely'
import type { Issue, Project, Tables } from '../db/tables.ts'
import { all, allowed, any, type Fact, feature, open, type Rule } from './rule.ts'

/** Guests of a private project can't read its code, nor can non-members if the repository is private. */
export const codeRule: Rule = all(feature('repository'), any(allowed('read_code'), open))

/** Merge requests are visible to users who can read the code. */
export const mergeRequestRule: Rule = all(feature('merge_requests'), codeRule)

export interface SeenIssue {
  issue: Pick<Issue, 'confidential' | 'author_id'>
  assigneeIds: readonly number[]
}

const isPlain: Fact<SeenIssue> = {
  is: 'fact',
  holds: ({ issue }) => !issue.confidential,
  where: (eb) => ofIssues(eb)('issues.confidential', '=', false),
}

/** The user is the author or an assignee. */
export const isOwnIssue: Fact<SeenIssue> = {
  is: 'fact',
  holds: ({ issue, assigneeIds }, viewer) => viewer !== null && (issue.author_id === viewer.id || assigneeIds.includes(viewer.id)),
  where(eb, viewer) {
    if (!viewer) return null
    const issues = ofIssues(eb)
    const assigned = eb.selectFrom('issue_assignees').select('issue_assignees.issue_id').where('user_id', '=', viewer.id)
    return issues.or([issues('issues.author_id', '=', viewer.id), issues('issues.id', 'in', assigned)])
  },
}

const ofIssues = (eb: ExpressionBuilder<Tables, never>) => eb as unknown as ExpressionBuilder<Tables, 'issues'>

/** Issues that are visible in any role: those that aren't confidential, and one's own. */
export const issueSeenAlone: Rule<SeenIssue> = any(isPlain, isOwnIssue)

/** Confidential issues are visible to their author, their assignees, and members from reporter up. */
export const issueRule: Rule<SeenIssue> = all<SeenIssue>(
  feature('issues'),
  any<SeenIssue>(issueSeenAlone, allowed('read_confidential_issues')),
)

export const wikiRule: Rule = feature('wiki')

const arePublic: Fact<Pick<Project, 'public_jobs'>> = {
  is: 'fact',
  holds: ({ public_jobs }) => public_jobs,
  where: (eb) => (eb as unknown as ExpressionBuilder<Tables, 'projects'>)('projects.public_jobs', '=', true),
}

/** Pipelines and jobs where the user is a reporter. */
export const jobsOfMemberRule: Rule = all(feature('builds'), allowed('read_jobs'))

/** Pipelines and jobs are visible to reporters and, where jobs are public, to everybody who can see the project. */
export const jobRule: Rule<Pick<Project, 'public_jobs'>> = any<Pick<Project, 'public_jobs'>>(
  jobsOfMemberRule,
  all<Pick<Project, 'public_jobs'>>(feature('builds'), arePublic),
)

/** A viewer who fulfils this sees every event of a project, so a list needn't check each of them. */
export const allEventsRule: Rule = all(
  allowed('read_internal_notes'),
  feature('issues'),
  feature('merge_requests'),
  feature('snippets'),
  wikiRule,
  codeRule,
)
