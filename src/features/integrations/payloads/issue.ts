/** The payload of issues. */
import type { LocatedProject } from '../../../access/find.ts'
import { pageUrl, projectUrl } from '../../../addresses/links.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { humanDuration } from '../../planning/issuables/issuables.ts'
import { areSame, type Difference, differencesOf } from './differences.ts'
import type { IssueFacts, Related } from './facts.ts'
import type { IssueAttributes, IssuePayload } from './issuables.schema.ts'
import { labelsByIds } from './parts.queries.ts'
import { payloadLabel, peopleOf, settingOf, withAbsoluteImages } from './parts.ts'
import { payloadRepositoryBrief } from './project.ts'

const told = [
  'author_id',
  'closed_at',
  'confidential',
  'created_at',
  'description',
  'discussion_locked',
  'due_date',
  'id',
  'iid',
  'last_edited_at',
  'last_edited_by_id',
  'milestone_id',
  'moved_to_id',
  'project_id',
  'relative_position',
  'state',
  'time_estimate',
  'title',
  'total_time_spent',
  'updated_at',
] as const

/** For an issue that was confidential until now, the changes contain only these fields. */
const toldOfUnveiled = ['confidential', 'updated_at'] as const

export async function issuePayload(app: App, facts: IssueFacts): Promise<Presented<typeof IssuePayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { row, action } = facts
  const assignees = await peopleOf(app, facts.assignee_ids)
  return {
    object_kind: 'issue',
    event_type: row.confidential ? 'confidential_issue' : 'issue',
    user: setting.user,
    project: setting.shown,
    object_attributes: { ...issueAttributes(app.config, setting.project, facts), action },
    assignees,
    assignee: assignees[0],
    labels: (await labelsByIds(app.db, facts.label_ids)).map(payloadLabel),
    changes: await changesOf(app, facts),
    repository: payloadRepositoryBrief(setting.shown),
  }
}

/** Also part of payloads of notes. */
export function issueAttributes(
  config: Config,
  project: LocatedProject,
  { row, assignee_ids, user_id }: Related & Pick<IssueFacts, 'row' | 'user_id'>,
): Presented<typeof IssueAttributes> {
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: withAbsoluteImages(row.description, projectUrl(config, project)),
    state: row.state,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    author_id: row.author_id,
    assignee_id: assignee_ids[0] ?? null,
    assignee_ids,
    project_id: row.project_id,
    milestone_id: row.milestone_id,
    due_date: row.due_date,
    closed_at: row.closed_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    updated_by_id: user_id,
    last_edited_at: row.last_edited_at,
    last_edited_by_id: row.last_edited_by_id,
    moved_to_id: row.moved_to_id,
    relative_position: row.relative_position,
    position: 0,
    branch_name: null,
    time_estimate: row.time_estimate,
    total_time_spent: row.total_time_spent,
    human_time_estimate: humanDuration(row.time_estimate),
    human_total_time_spent: humanDuration(row.total_time_spent),
    url: pageUrl(config, issueAddress(project, row.iid)),
  }
}

async function changesOf(app: App, facts: IssueFacts): Promise<Record<string, Difference>> {
  const { row, before } = facts
  if (before?.confidential === true && !row.confidential) return differencesOf(toldOfUnveiled, before, row)
  return { ...differencesOf(told, before, row), ...(await relatedChanges(app, facts)) }
}

/** People and labels, before and after. */
export async function relatedChanges(
  app: App,
  { before, assignee_ids, label_ids }: Related & { before: Partial<Related> | null },
): Promise<Record<string, Difference>> {
  const changes: Record<string, Difference> = {}
  if (before?.assignee_ids && !areSame(before.assignee_ids, assignee_ids)) {
    changes.assignees = { previous: await peopleOf(app, before.assignee_ids), current: await peopleOf(app, assignee_ids) }
  }
  if (before?.label_ids && !areSame(before.label_ids, label_ids)) {
    const labels = await labelsByIds(app.db, [...before.label_ids, ...label_ids])
    const those = (ids: number[]) => labels.filter(({ id }) => ids.includes(id)).map(payloadLabel)
    changes.labels = { previous: those(before.label_ids), current: those(label_ids) }
  }
  return changes
}
