/** Issues as JSON. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import { apiUrl, pageUrl } from '../../../addresses/links.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import { distinctIds } from '../../../db/rows.ts'
import type { Issue, Label, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { countTasks, labelsOf, peopleOf, presentTimeStats } from '../issuables/issuables.ts'
import { presentLabelBrief } from '../labels/labels.ts'
import { milestonesByIds, type PlacedMilestone, presentMilestone } from '../milestones/milestones.ts'
import { closingCounts, pathsOfProjects, placesOfIssues } from './issues.queries.ts'
import type { Issue as IssueSchema } from './issues.schema.ts'

/** An issue with everything that is displayed besides its row. */
export interface DescribedIssue {
  issue: Issue
  /** Full path of its project. */
  project_path: string
  author: UserInBrief
  closed_by: UserInBrief | null
  assignees: UserInBrief[]
  /** Ordered by title. */
  labels: Label[]
  milestone: PlacedMilestone | null
  /** The issue that it duplicates, if the viewer can see that one. */
  duplicated_to: Pick<Issue, 'project_id' | 'iid'> | null
  /** The number of merge requests that close it, limited to those the viewer can see. */
  merge_requests_count: number
}

/** A new issue, as presented to its author: two statements, three with a milestone. Nothing closes it yet. */
export async function describeNewIssue(
  db: Db,
  author: User,
  project: Pick<LocatedProject, 'full_path'>,
  issue: Issue,
): Promise<DescribedIssue> {
  const [assignees, labels, [milestone = null]] = await Promise.all([
    peopleOf(db, 'issue_assignees', [issue.id]),
    labelsOf(db, 'issue_labels', [issue.id]),
    milestonesByIds(db, distinctIds([issue.milestone_id])),
  ])
  return {
    issue,
    project_path: project.full_path,
    author,
    closed_by: null,
    assignees: assignees.get(issue.id) ?? [],
    labels: labels.get(issue.id) ?? [],
    milestone,
    duplicated_to: null,
    merge_requests_count: 0,
  }
}

/** Each issue with what the viewer may see: six statements, seven if there are duplicates, regardless of their number. */
export async function describeIssues(db: Db, viewer: Viewer, issues: Issue[]): Promise<DescribedIssue[]> {
  if (issues.length === 0) return []
  const ids = issues.map(({ id }) => id)
  const [assignees, labels, milestones, users, paths, originals, closing] = await Promise.all([
    peopleOf(db, 'issue_assignees', ids),
    labelsOf(db, 'issue_labels', ids),
    milestonesByIds(db, distinctIds(issues.map(({ milestone_id }) => milestone_id))),
    usersInBrief(db, distinctIds(issues.flatMap(({ author_id, closed_by_id }) => [author_id, closed_by_id]))),
    pathsOfProjects(db, distinctIds(issues.map(({ project_id }) => project_id))),
    placesOfIssues(db, viewer, distinctIds(issues.map(({ duplicated_to_id }) => duplicated_to_id))),
    closingCounts(db, viewer, ids),
  ])
  const milestonesById = new Map(milestones.map((milestone) => [milestone.id, milestone]))
  return issues.map((issue) => ({
    issue,
    project_path: paths.get(issue.project_id) ?? '',
    author: users.get(issue.author_id) as UserInBrief,
    closed_by: users.get(issue.closed_by_id ?? 0) ?? null,
    assignees: assignees.get(issue.id) ?? [],
    labels: labels.get(issue.id) ?? [],
    milestone: milestonesById.get(issue.milestone_id ?? 0) ?? null,
    duplicated_to: originals.get(issue.duplicated_to_id ?? 0) ?? null,
    merge_requests_count: closing.get(issue.id) ?? 0,
  }))
}

export interface IssueForm {
  /** Returns labels as objects instead of titles. */
  labelDetails?: boolean
  /** The project in which references may be short; null in lists across projects. */
  within?: number | null
  /** Whether the caller is subscribed; only for a single issue. */
  subscribed?: boolean | undefined
}

export function presentIssue(config: Config, described: DescribedIssue, form: IssueForm = {}): Presented<typeof IssueSchema> {
  const { issue, project_path, author, closed_by, labels, milestone, duplicated_to } = described
  const { id, iid, project_id } = issue
  const assignees = described.assignees.map((user) => presentUserBrief(config, user))
  const tasks = countTasks(issue.description)
  const self = apiUrl(config, `projects/${project_id}/issues/${iid}`)
  const full = `${project_path}#${iid}`
  return {
    id,
    iid,
    project_id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    closed_by: closed_by && presentUserBrief(config, closed_by),
    labels: form.labelDetails ? labels.map(presentLabelBrief) : labels.map(({ title }) => title),
    milestone: milestone && presentMilestone(config, milestone),
    assignees,
    author: presentUserBrief(config, author),
    type: 'ISSUE',
    assignee: assignees[0] ?? null,
    user_notes_count: issue.user_notes_count,
    merge_requests_count: described.merge_requests_count,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    due_date: issue.due_date,
    confidential: issue.confidential,
    discussion_locked: issue.discussion_locked,
    issue_type: 'issue',
    web_url: pageUrl(config, issueAddress({ full_path: project_path }, iid)),
    time_stats: presentTimeStats(issue),
    task_completion_status: tasks,
    has_tasks: tasks.count > 0,
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: apiUrl(config, `projects/${project_id}`),
      closed_as_duplicate_of: duplicated_to && apiUrl(config, `projects/${duplicated_to.project_id}/issues/${duplicated_to.iid}`),
    },
    references: { short: `#${iid}`, relative: form.within === project_id ? `#${iid}` : full, full },
    severity: 'UNKNOWN',
    moved_to_id: issue.moved_to_id,
    subscribed: form.subscribed,
  }
}

/** A page of a list, as JSON. */
export async function presentIssues(
  app: App,
  viewer: Viewer,
  issues: Issue[],
  form: IssueForm,
): Promise<Array<Presented<typeof IssueSchema>>> {
  return (await describeIssues(app.db, viewer, issues)).map((described) => presentIssue(app.config, described, form))
}
