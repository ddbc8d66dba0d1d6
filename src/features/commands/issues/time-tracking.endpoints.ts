/** Estimates and spent time of issues. */
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { timeTrackingAt } from '../../planning/issuables/issuables.ts'
import { changeIssueIn, issueInPath } from '../../planning/issues/issues.ts'
import { editableIssue } from './issues.access.ts'

export const timeTracking = timeTrackingAt('/projects/:id/issues/:issue_iid', {
  label: 'an issue',
  visible: within(project('signed-in'), issueInPath),
  editable: editableIssue,
  rowOf: ({ issue }) => issue,
  changeIn: changeIssueIn,
})
