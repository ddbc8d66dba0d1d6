/** The fields of a merge request in forms, and what they send. */

import { type Static, type TObject, Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import { canManageMergeRequests, canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import type { MergeRequestChangeRequest } from '../../../features/commands/merge-requests/merge-requests.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import type { DescribedMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Typed } from '../../frame/declaration.ts'
import { checkbox, field, markdownField, select } from '../../frame/forms.ts'
import { milestoneChoices, namesField, newLabelsField, refuseNewLabels } from '../../planning/lists/names.ts'
import { sentences } from './sentences.ts'

const names = Type.Optional(Type.String({ maxLength: 2_000 }))

/** All fields of merge request forms; each form sends some of them. */
export const mergeRequestForm = {
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  target_branch: Type.Optional(Type.String()),
  /** A username; empty for no assignee. */
  assignee: names,
  /** Usernames separated by commas; names of labels as well. */
  reviewers: names,
  labels: Type.Optional(Type.String({ maxLength: 20_000 })),
  ...newLabelsField,
  /** 0 for none. */
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  squash: Type.Optional(Type.Boolean()),
  remove_source_branch: Type.Optional(Type.Boolean()),
  allow_collaboration: Type.Optional(Type.Boolean()),
}

/** The fields of the form, by name. */
export const fieldNames = Object.keys(mergeRequestForm)

type Sent = Static<TObject<typeof mergeRequestForm>>

/**
 * The arguments of the service from a submitted form. Throws 400 for new labels without consent to create them, and for users who don't
 * exist or can't see merge requests of the project.
 */
export async function requestOf(app: App, project: ProjectGranted['project'], sent: Sent): Promise<MergeRequestChangeRequest> {
  const { assignee, reviewers, labels, create_labels, milestone_id, ...plain } = sent
  await refuseNewLabels(app, project, { labels }, create_labels)
  return {
    ...plain,
    milestone_id,
    labels: labels === undefined ? undefined : [labels],
    assignee_ids: assignee === undefined ? undefined : await assignableIds(app, project, { assignee }, 1),
    reviewer_ids: reviewers === undefined ? undefined : await assignableIds(app, project, { reviewers }, maxReviewers),
  }
}

const maxReviewers = 20

/** The users in one field. */
async function assignableIds(
  { db }: App,
  project: ProjectGranted['project'],
  sent: Readonly<Record<string, string>>,
  max: number,
): Promise<number[]> {
  const [[name, text]] = Object.entries(sent) as [[string, string]]
  const usernames = [
    ...new Set(
      text
        .split(',')
        .map((one) => one.trim().replace(/^@/, '').toLowerCase())
        .filter(Boolean),
    ),
  ]
  if (usernames.length > max) throw invalid({ [name]: [sentences.tooManyPeople(max)] })
  const ids: number[] = []
  for (const username of usernames) {
    const user = await findUser(db, username)
    const isNamed = user?.username.toLowerCase() === username && mayAct(user)
    const access = user && isNamed ? await findProject(db, String(project.id), user).catch(nullIfMissing) : null
    if (!user || !access || !canSeeMergeRequests(access, user)) throw invalid({ [name]: [sentences.notAssignable(username)] })
    ids.push(user.id)
  }
  return ids
}

interface Shown {
  project: ProjectGranted['project']
  level: number
  milestones: readonly PlacedMilestone[]
  /** Null for a new one. */
  described: DescribedMergeRequest | null
  /** Initial values of a new merge request. */
  first?: { title: string; description: string }
  mayCollaborate: boolean
  /** Code owners of what it changes. */
  suggested: readonly UserInBrief[]
}

/** Title and description, and for users who may plan all the rest. */
export function mergeRequestFields(typed: Typed, shown: Shown): Html {
  const { project, level, described, first } = shown
  const row = described?.merge_request
  return html`
    ${field(t`Title`, 'title', typed, {
      value: row?.title ?? first?.title ?? '',
      required: true,
      autofocus: true,
      autocomplete: 'off',
      hint: sentences.titleHint,
    })}
    ${markdownField(t`Description`, 'description', typed, {
      value: row?.description ?? first?.description ?? '',
      rows: 12,
      project,
      takesFiles: true,
      takesActions: true,
      hint: sentences.textHint,
    })}${canManageMergeRequests({ level }) && planFields(typed, shown)}
    ${options(typed, shown)}
  `
}

function planFields(typed: Typed, { project, milestones, described, suggested }: Shown): Html {
  const usernames = (users: readonly UserInBrief[] = []) => users.map(({ username }) => username).join(', ')
  const { merge_request, labels = [], milestone = null } = described ?? {}
  return html`
    <div class="filter-fields">
      ${namesField(t`Assignee`, 'assignee', typed, '@', project, {
        value: described?.assignees[0]?.username ?? '',
        isSingle: true,
      })}
      ${namesField(t`Reviewers`, 'reviewers', typed, '@', project, {
        value: usernames(described?.reviewers),
        hint: suggested.length === 0 ? sentences.peopleHint : `${sentences.peopleHint} ${sentences.owners} ${usernames(suggested)}.`,
      })}
      ${namesField(t`Labels`, 'labels', typed, '~', project, {
        value: labels.map(({ title }) => title).join(', '),
        hint: sentences.labelsHint,
      })}
      ${select(t`Milestone`, 'milestone_id', typed, milestoneChoices(milestones, milestone), {
        value: String(merge_request?.milestone_id ?? 0),
      })}
    </div>
  `
}

/** Options of the merge. */
function options(typed: Typed, { project, described, mayCollaborate }: Shown): Html {
  const row = described?.merge_request
  const { squash_option, remove_source_branch_after_merge } = project
  const isTicked = (value: boolean) => (value ? 'true' : 'false')
  return html`${checkbox(t`Delete the source branch with the merge`, 'remove_source_branch', typed, {
    value: isTicked(row?.force_remove_source_branch ?? remove_source_branch_after_merge),
  })}${
    (squash_option === 'default_on' || squash_option === 'default_off') &&
    checkbox(t`Squash the commits with the merge`, 'squash', typed, {
      value: isTicked(row?.squash ?? squash_option === 'default_on'),
      hint: sentences.squashing,
    })
  }${
    mayCollaborate &&
    checkbox(t`Let members of the target project push to the source branch`, 'allow_collaboration', typed, {
      value: isTicked(row?.allow_collaboration ?? false),
      hint: sentences.collaboration,
    })
  }`
}
