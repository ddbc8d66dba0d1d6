/** Changing many issues at once: those that were selected in the list. */
import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import { changeIssues, type IssueChangeRequest } from '../../../features/planning/issue-changes/issue-changes.ts'
import { listIssues } from '../../../features/planning/issues/issues.ts'
import { project, unarchived, using } from '../../../http/rules.ts'
import { Id } from '../../../http/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Typed } from '../../frame/declaration.ts'
import { requestOf } from './fields.ts'
import { readListQuery } from './list-filters.ts'
import { listView } from './list-view.ts'
import { issuesAddress } from './parts.ts'
import { sentences } from './sentences.ts'

const maxIssues = 100

/** An empty field changes nothing. */
const form = {
  issues: Type.Array(Id, { default: [], maxItems: maxIssues }),
  back: Type.String({ default: '', maxLength: 8_000 }),
  state_event: Type.Unsafe<'' | 'close' | 'reopen'>({ type: 'string', enum: ['', 'close', 'reopen'], default: '' }),
  assignee: Type.String({ default: '', maxLength: 300 }),
  milestone_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  add_labels: Type.String({ default: '', maxLength: 20_000 }),
  remove_labels: Type.String({ default: '', maxLength: 20_000 }),
}

export const editManyPages = [
  action('POST /:project/issues/bulk_update', {
    access: using('issues', unarchived(project('reporter'))),
    form,
    async act({ app, user, project, level, sent }) {
      const { issues: iids, back, state_event, assignee, milestone_id, add_labels, remove_labels } = sent
      if (iids.length === 0) throw invalid(sentences.noneSelected)
      const name = /^ *none *$/i.test(assignee) ? { assignee: '' } : assignee.trim() === '' ? {} : { assignee }
      const request: IssueChangeRequest = {
        ...(await requestOf(app, { project }, null, { ...(milestone_id !== undefined && { milestone_id }), ...name })),
        ...(state_event !== '' && { state_event }),
        ...(add_labels.trim() !== '' && { add_labels: [add_labels] }),
        ...(remove_labels.trim() !== '' && { remove_labels: [remove_labels] }),
      }
      if (Object.values(request).every((value) => value === undefined)) throw invalid(sentences.nothingToChange)
      const { rows } = await listIssues(app.db, user, { project_id: project.id }, { iids }, { limit: maxIssues, offset: 0 })
      await changeIssues(app, { user, project, level }, rows, request)
      return { redirect: ownAddress(back) ?? issuesAddress(project), notice: sentences.changed(rows.length) }
    },
    again: ({ project: row, level, ...context }, typed: Typed) =>
      listView({ ...context, place: { kind: 'project', row, level } }, readListQuery(ownAddress(typed.values.back) ?? ''), typed),
  }),
]
