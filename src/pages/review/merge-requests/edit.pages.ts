/** Edits a whole merge request, and deletes it. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { Failure } from '../../../failure.ts'
import {
  changeMergeRequest,
  editableMergeRequest,
  mayAllowCollaboration,
  removeMergeRequest,
} from '../../../features/commands/merge-requests/merge-requests.ts'
import { tickInMergeRequest } from '../../../features/commands/tasks/tasks.ts'
import {
  type DescribedMergeRequest,
  describeMergeRequests,
  mergeRequestInPath,
} from '../../../features/review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../../features/review/versions/versions.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, hidden, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { milestonesFor } from '../../planning/lists/names.ts'
import { projectView } from '../../project/project-view.ts'
import { taskForm, tickIn } from '../../project/tasks.ts'
import { recentNames } from '../../repository/refs/parts.ts'
import { fieldNames, mergeRequestFields, mergeRequestForm, requestOf } from './fields.ts'
import { mergeRequestAddress, mergeRequestsAddress } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'
import { accessToSource } from './source.ts'
import { suggestedFor } from './suggested.ts'

export const editMergeRequestPages = [
  page('GET /:project/merge_requests/:merge_request_iid/edit', {
    access: editableMergeRequest,
    show: (context) => editView(context, untouched),
  }),
  action('POST /:project/merge_requests/:merge_request_iid', {
    access: editableMergeRequest,
    form: { ...mergeRequestForm, seen: Type.String({ default: '', maxLength: 100 }) },
    async act({ app, actor, project, merge_request, sent: { seen, ...sent } }) {
      const isOvertaken = (merge_request.last_edited_at ?? '') !== seen && sent.description !== (merge_request.description ?? '')
      if (isOvertaken) throw new Failure('conflict', sentences.overtaken)
      await changeMergeRequest(app, actor, merge_request, await requestOf(app, project, sent))
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.saved }
    },
    again: (context, typed) => editView(context, typed),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/tasks', {
    access: editableMergeRequest,
    form: taskForm,
    async act({ app, actor, project, merge_request, sent }) {
      await tickInMergeRequest(app, actor, merge_request, tickIn(sent))
      return { redirect: mergeRequestAddress(project, merge_request.iid) }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/delete', {
    access: within(unarchived(project('delete_merge_requests')), mergeRequestInPath),
    async act({ app, actor, project, merge_request }) {
      await removeMergeRequest(app, actor, merge_request)
      return { redirect: mergeRequestsAddress(project), notice: sentences.deleted(merge_request.iid) }
    },
  }),
]

async function editView(context: MergeRequestSeen & SignedIn, typed: Typed): Promise<View> {
  const { app, project, level, user, merge_request, token, repo } = context
  const [described] = (await describeMergeRequests(app.db, [merge_request])) as [DescribedMergeRequest]
  const milestones = await milestonesFor(app, { project })
  const source = await accessToSource(context)
  const from = source && { project: source.project, branch: merge_request.source_branch }
  const mayCollaborate = from !== null && (await mayAllowCollaboration(app, user, from, project))
  const address = mergeRequestAddress(project, merge_request.iid)
  const target =
    merge_request.state !== 'merged' &&
    field(t`Target branch`, 'target_branch', typed, {
      value: merge_request.target_branch,
      required: true,
      autocomplete: 'off',
      list: await recentNames(repo, 'heads'),
    })
  const deletion =
    may('delete_merge_requests', level) &&
    dangerous(
      t`Delete the merge request`,
      html`
        <p>${sentences.deletion}</p>
        ${form({ action: `${address}/delete`, token, submit: t`Delete the merge request`, kind: 'danger' }, html``)}
      `,
    )
  return projectView(
    { project, level, user, tab: 'merge_requests', showsCode: false },
    {
      title: t`Edit !${merge_request.iid}`,
      scripts: ['planning.js', textFieldScript],
      main: html`
        <h1>Edit merge request <a href="${address}">!${merge_request.iid}</a></h1>
        <div class="form-page">
          ${problemsOf(typed.errors, fieldNames)}
          ${form(
            { action: address, token, submit: t`Save changes` },
            html`
              ${hidden({ seen: typed.values.seen ?? merge_request.last_edited_at ?? '' })}${target}${mergeRequestFields(typed, {
                project,
                level,
                milestones,
                described,
                mayCollaborate,
                suggested: await suggestedFor(context, described, (await currentVersion(app, merge_request))?.version ?? null),
              })}
            `,
          )}
          ${deletion}
        </div>
      `,
    },
  )
}
