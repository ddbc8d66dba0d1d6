/** Comments on an issue. */
import { canUpdateIssue } from '../../../access/issues.ts'
import { forbidden } from '../../../failure.ts'
import { changeIssue } from '../../../features/commands/issues/issues.ts'
import { peopleIds } from '../../../features/planning/issuables/issuables.ts'
import { issueKind } from '../../../features/planning/issues/issues.ts'
import { notePages } from '../discussion/notes.pages.ts'
import { issueView } from './issue-view.ts'
import { sentences } from './sentences.ts'

export const issueNotePages = notePages(issueKind, {
  tab: 'issues',
  view: (seen, refusedNote) => issueView({ ...seen, issue: seen.noteable.row }, { refusedNote }),
  state: {
    async assertMayChange({ app, user, level, noteable: { row } }) {
      if (!canUpdateIssue({ level }, row, await peopleIds(app.db, 'issue_assignees', row.id), user)) throw forbidden()
    },
    async change({ app, user, project, level, noteable }, state_event) {
      await changeIssue(app, { user, project, level }, noteable.row, { state_event })
    },
    closed: () => sentences.closed,
    reopened: () => sentences.reopened,
  },
})
