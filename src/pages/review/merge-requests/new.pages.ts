/** A new merge request: first the choice of its branches, then its description. */
import { Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import { createMergeRequest } from '../../../features/commands/merge-requests/merge-requests.ts'
import { authenticated, project, using } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, page, type Typed } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { mergeRequestForm, requestOf } from './fields.ts'
import { newMergeRequestView } from './new-view.ts'
import { mergeRequestAddress } from './parts.ts'
import { sentences } from './sentences.ts'

/** The project may be the source or the target, so reading its code suffices to see what can be proposed. */
const access = authenticated(using('merge_requests', project('code')))
const branch = Type.String({ default: '', maxLength: 1_000 })

const asked = {
  source_project_id: Type.Optional(Id),
  source_branch: branch,
  target_project_id: Type.Optional(Id),
  target_branch: branch,
}

/** Fields that links can prefill: `?merge_request[source_branch]=…`. */
const query = {
  merge_request: Type.Optional(
    Type.Object({
      ...asked,
      title: Type.String({ default: '', maxLength: 1_000 }),
      description: Type.String({ default: '', maxLength: 100_000 }),
    }),
  ),
  /** The name of a description template. */
  template: Type.String({ default: '', maxLength: 255 }),
}

export const newMergeRequestPages = [
  page('GET /:project/merge_requests/new', {
    access,
    query,
    show: ({ sent, ...context }) => newMergeRequestView(context, { ...(sent.merge_request ?? {}), template: sent.template }, untouched),
  }),
  action('POST /:project/merge_requests', {
    access,
    form: { ...mergeRequestForm, ...asked, title: Type.String(), source_project_id: Id, target_project_id: Id },
    async act({ app, user, sent }) {
      const { source_project_id, target_project_id, source_branch, target_branch, title, ...fields } = sent
      const source = await findProject(app.db, String(source_project_id), user)
      const target = await findProject(app.db, String(target_project_id), user)
      const request = { ...(await requestOf(app, target.project, fields)), title, source_branch, target_branch, target_project_id }
      const { merge_request } = await createMergeRequest(app, user, source, request)
      return { redirect: mergeRequestAddress(target.project, merge_request.iid), notice: sentences.created(merge_request.iid) }
    },
    again: (context, typed) => newMergeRequestView(context, askedAgain(typed), typed),
  }),
]

function askedAgain({ values }: Typed) {
  const idOrNone = (text: string | undefined) => (/^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : undefined)
  return {
    source_project_id: idOrNone(values.source_project_id),
    source_branch: values.source_branch ?? '',
    target_project_id: idOrNone(values.target_project_id),
    target_branch: values.target_branch ?? '',
  }
}
