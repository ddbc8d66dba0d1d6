/** The fields of an issue in forms, and what they send. */
import { type Static, type TObject, Type } from 'typebox'
import { canManageIssue } from '../../../access/issues.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Issue } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import type { IssueChangeRequest } from '../../../features/planning/issue-changes/issue-changes.ts'
import { assignableAmong, type DescribedIssue } from '../../../features/planning/issues/issues.ts'
import { listMilestones, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import type { ProjectGranted } from '../../../http/rules.ts'
import { Day, nullable } from '../../../http/schema.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, checkbox, field, markdownField, select } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { sentences } from './sentences.ts'

/** What forms of issues send; each form sends some of them. */
export const issueForm = {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  /** A username; empty for nobody. */
  assignee: Type.Optional(Type.String({ maxLength: 300 })),
  /** Names with commas between them. */
  labels: Type.Optional(Type.String({ maxLength: 20_000 })),
  /** 0 for none. */
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  due_date: Type.Optional(nullable(Day)),
  confidential: Type.Optional(Type.Boolean()),
  discussion_locked: Type.Optional(Type.Boolean()),
}

type Sent = Static<TObject<typeof issueForm>>

/** What was sent, for the service. Throws 400 for an assignee who isn't there or can't see the issue. `issue` is null for a new one. */
export async function requestOf(
  app: App,
  { project }: Pick<ProjectGranted, 'project'>,
  issue: Issue | null,
  sent: Sent,
): Promise<IssueChangeRequest> {
  const { assignee, labels, milestone_id, ...plain } = sent
  return {
    ...plain,
    milestone_id,
    labels: labels === undefined ? undefined : [labels],
    assignee_ids: assignee === undefined ? undefined : await assigneeOf(app, project, issue, assignee),
  }
}

async function assigneeOf({ db }: App, project: ProjectGranted['project'], issue: Issue | null, sent: string): Promise<number[]> {
  const name = sent.trim().replace(/^@/, '').replace(/,$/, '')
  if (name === '') return []
  if (name.includes(',')) throw invalid({ assignee: [sentences.oneAssignee] })
  const user = await findUser(db, name)
  const accepted = user?.username.toLowerCase() === name.toLowerCase() ? await assignableAmong(db, project, issue, [user.id]) : []
  if (accepted.length === 0) throw invalid({ assignee: [sentences.notAssignable] })
  return accepted
}

/** Milestones to choose from: those that are active, the newest first. One statement or two. */
export async function milestonesFor(app: App, { project }: Pick<ProjectGranted, 'project'>): Promise<PlacedMilestone[]> {
  const place = { project_id: project.id, below: project.namespace_id }
  return (await listMilestones(app.db, place, { state: 'active', inherited: true }, { limit: maxMilestones, offset: 0 })).rows
}

const maxMilestones = 100

/** Also the one that is set, where it is closed or older. */
export function milestoneChoices(milestones: readonly PlacedMilestone[], current: PlacedMilestone | null): Choice[] {
  const isListed = current === null || milestones.some(({ id }) => id === current.id)
  const all = isListed ? milestones : [current, ...milestones]
  return [['0', 'No milestone'], ...all.map(({ id, title }): Choice => [String(id), title])]
}

export interface Names {
  /** Of the field: what it holds already. */
  value?: string
  hint?: string
  id?: string
}

/** A field for names, which are completed. */
export function namesField(
  label: string,
  name: string,
  typed: Typed,
  key: '@' | '~',
  { full_path }: { full_path: string },
  options: Names = {},
): Html {
  return html`<name-picker key="${key}" source="/${full_path}/-/completions">${field(label, name, typed, { autocomplete: 'off', ...options })}</name-picker>`
}

interface Shown {
  project: ProjectGranted['project']
  level: number
  milestones: readonly PlacedMilestone[]
  /** Null for a new one. */
  described: DescribedIssue | null
  /** Where nothing was typed yet, of a new one. */
  first?: { title: string; description: string }
}

/** All that a form of a whole issue asks for: of those who may not plan with it, less. */
export function issueFields(typed: Typed, { project, level, milestones, described, first }: Shown): Html {
  const issue = described?.issue
  const text = html`${field('Title', 'title', typed, { value: issue?.title ?? first?.title ?? '', required: true, autofocus: true, autocomplete: 'off' })}
${markdownField('Description', 'description', typed, {
  value: issue?.description ?? first?.description ?? '',
  rows: 14,
  project,
  takesFiles: true,
  takesActions: true,
  hint: sentences.textHint,
})}
${checkbox('This issue is confidential', 'confidential', typed, { value: issue?.confidential ? 'true' : 'false', hint: sentences.confidential })}`
  if (!canManageIssue({ level })) return text
  return html`${text}<div class="filter-fields">${namesField('Assignee', 'assignee', typed, '@', project, { value: described?.assignees[0]?.username ?? '' })}
${namesField('Labels', 'labels', typed, '~', project, { value: described?.labels.map(({ title }) => title).join(', ') ?? '', hint: sentences.labelsHint })}
${select('Milestone', 'milestone_id', typed, milestoneChoices(milestones, described?.milestone ?? null), { value: String(issue?.milestone_id ?? 0) })}
${field('Due date', 'due_date', typed, { type: 'date', value: issue?.due_date ?? '' })}</div>`
}
