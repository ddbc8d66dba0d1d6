/** Comments on a merge request, and resolution of its discussions. */
import { canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import { forbidden } from '../../../failure.ts'
import { changeMergeRequest } from '../../../features/commands/merge-requests/merge-requests.ts'
import { peopleIds } from '../../../features/planning/issuables/issuables.ts'
import { mergeRequestKind } from '../../../features/review/merge-requests/merge-requests.ts'
import { notePages } from '../../planning/discussion/notes.pages.ts'
import { overview } from './overview.ts'
import { sentences } from './sentences.ts'

export const mergeRequestNotePages = notePages(mergeRequestKind, {
  tab: 'merge_requests',
  view: (seen, refusedNote) => overview({ ...seen, merge_request: seen.noteable.row }, { refusedNote }),
  state: {
    async assertMayChange({ app, user, level, noteable: { row } }) {
      const assigneeIds = await peopleIds(app.db, 'merge_request_assignees', row.id)
      if (!canUpdateMergeRequest({ level }, row, assigneeIds, user)) throw forbidden()
    },
    async change({ app, user, project, level, noteable }, state_event) {
      await changeMergeRequest(app, { user, project, level }, noteable.row, { state_event })
    },
    closed: () => sentences.closed,
    reopened: () => sentences.reopened,
  },
})
