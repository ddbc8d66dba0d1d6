/** The fields of an issue in forms, and what they send. */

import { type Static, type TObject, Type } from 'typebox'
import { canManageIssue } from '../../../access/issues.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Issue } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import type { IssueChangeRequest } from '../../../features/commands/issues/issues.ts'
import { assignableAmong, type DescribedIssue } from '../../../features/planning/issues/issues.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import { Day, nullable } from '../../../http/parameters/schema.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, field, markdownField, select } from '../../frame/forms.ts'
import { milestoneChoices, namesField, newLabelsField, refuseNewLabels } from '../lists/names.ts'
import { sentences } from './sentences.ts'

/** All fields of issue forms; each form sends some of them. */
export const issueForm = {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  /** A username; empty for no assignee. */
  assignee: Type.Optional(Type.String({ maxLength: 300 })),
  /** Names separated by commas. */
  labels: Type.Optional(Type.String({ maxLength: 20_000 })),
  ...newLabelsField,
  /** 0 for none. */
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  due_date: Type.Optional(nullable(Day)),
  confidential: Type.Optional(Type.Boolean()),
  discussion_locked: Type.Optional(Type.Boolean()),
}

type Sent = Static<TObject<typeof issueForm>>

/**
 * The arguments of the service from a submitted form. Throws 400 for new labels without consent to create them, and for an assignee who
 * doesn't exist or can't see the issue. `issue` is null for a new one.
 */
export async function requestOf(
  app: App,
  { project }: Pick<ProjectGranted, 'project'>,
  issue: Issue | null,
  sent: Sent,
): Promise<IssueChangeRequest> {
  const { assignee, labels, create_labels, milestone_id, ...plain } = sent
  await refuseNewLabels(app, project, { labels }, create_labels)
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

interface Shown {
  project: ProjectGranted['project']
  level: number
  milestones: readonly PlacedMilestone[]
  /** Null for a new one. */
  described: DescribedIssue | null
  /** Initial values of a new issue. */
  first?: { title: string; description: string }
}

/** All fields of the form of a whole issue; fewer for users who may not plan. */
export function issueFields(typed: Typed, { project, level, milestones, described, first }: Shown): Html {
  const issue = described?.issue
  const text = html`
    ${field(t`Title`, 'title', typed, { value: issue?.title ?? first?.title ?? '', required: true, autofocus: true, autocomplete: 'off' })}
    ${markdownField(t`Description`, 'description', typed, {
      value: issue?.description ?? first?.description ?? '',
      rows: 14,
      project,
      takesFiles: true,
      takesActions: true,
      hint: sentences.textHint,
    })}
    ${checkbox(t`This issue is confidential`, 'confidential', typed, {
      value: issue?.confidential ? 'true' : 'false',
      hint: sentences.confidential,
    })}
  `
  if (!canManageIssue({ level })) return text
  return html`
    ${text}
    <div class="filter-fields">
      ${namesField(t`Assignee`, 'assignee', typed, '@', project, {
        value: described?.assignees[0]?.username ?? '',
        isSingle: true,
      })}
      ${namesField(t`Labels`, 'labels', typed, '~', project, {
        value: described?.labels.map(({ title }) => title).join(', ') ?? '',
        hint: sentences.labelsHint,
      })}
      ${select(t`Milestone`, 'milestone_id', typed, milestoneChoices(milestones, described?.milestone ?? null), {
        value: String(issue?.milestone_id ?? 0),
      })}
      ${field(t`Due date`, 'due_date', typed, { type: 'date', value: issue?.due_date ?? '' })}
    </div>
  `
}
