/** Changing many merge requests at once: those that were selected in the list. */
import { Type } from 'typebox'
import { Failure, invalid } from '../../../failure.ts'
import { changeMergeRequest, type MergeRequestChangeRequest } from '../../../features/review/merge-request-changes/merge-request-changes.ts'
import { listMergeRequests } from '../../../features/review/merge-requests/merge-requests.ts'
import { project, unarchived, using } from '../../../http/rules.ts'
import { Id } from '../../../http/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Typed } from '../../frame/declaration.ts'
import { requestOf } from './fields.ts'
import { readListQuery } from './list-filters.ts'
import { listView } from './list-view.ts'
import { requestsAddress } from './parts.ts'
import { sentences } from './sentences.ts'

const maxRequests = 100

/** An empty field changes nothing. */
const form = {
  merge_requests: Type.Array(Id, { default: [], maxItems: maxRequests }),
  back: Type.String({ default: '', maxLength: 8_000 }),
  state_event: Type.Unsafe<'' | 'close' | 'reopen'>({ type: 'string', enum: ['', 'close', 'reopen'], default: '' }),
  assignee: Type.String({ default: '', maxLength: 300 }),
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  add_labels: Type.String({ default: '', maxLength: 20_000 }),
  remove_labels: Type.String({ default: '', maxLength: 20_000 }),
}

export const manyRequestPages = [
  action('POST /:project/merge_requests/bulk_update', {
    access: using('merge_requests', unarchived(project('developer'))),
    form,
    async act({ app, user, project: row, level, sent }) {
      const { merge_requests: iids, back, state_event, assignee, milestone_id, add_labels, remove_labels } = sent
      if (iids.length === 0) throw invalid(sentences.noneSelected)
      const name = /^ *none *$/i.test(assignee) ? { assignee: '' } : assignee.trim() === '' ? {} : { assignee }
      const request: MergeRequestChangeRequest = {
        ...(await requestOf(app, row, { ...(milestone_id !== undefined && { milestone_id }), ...name })),
        ...(state_event !== '' && { state_event }),
        ...(add_labels.trim() !== '' && { add_labels: [add_labels] }),
        ...(remove_labels.trim() !== '' && { remove_labels: [remove_labels] }),
      }
      if (Object.values(request).every((value) => value === undefined)) throw invalid(sentences.nothingToChange)
      const { rows } = await listMergeRequests(app.db, user, { project_id: row.id }, { iids }, { limit: maxRequests, offset: 0 })
      // Each for itself: one may not be reopened beside another of the same branches.
      const refused: number[] = []
      for (const merge_request of rows) {
        await changeMergeRequest(app, { user, project: row, level }, merge_request, request).catch((error: unknown) => {
          if (!(error instanceof Failure) || error.code !== 'conflict') throw error
          refused.push(merge_request.iid)
        })
      }
      const notice = [sentences.changed(rows.length - refused.length), ...refused.map(sentences.notReopenedBeside)].join(' ')
      return { redirect: ownAddress(back) ?? requestsAddress(row), notice }
    },
    again: ({ project: row, level, ...context }, typed: Typed) =>
      listView({ ...context, place: { kind: 'project', row, level } }, readListQuery(ownAddress(typed.values.back) ?? ''), typed),
  }),
]
