/** Estimates and spent time of issues. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { TimeStats } from '../../planning/issues/issues.schema.ts'
import { issueInPath, presentTimeStats } from '../../planning/issues/issues.ts'
import { editableIssue } from './issues.access.ts'
import { addSpentTime, setEstimate } from './issues.service.ts'

const at = '/projects/:id/issues/:issue_iid'
const duration = Type.String({ description: 'As people write it: 1w 2d 3h 4m; a number counts hours' })

export const timeTracking = [
  endpoint(`GET ${at}/time_stats`, {
    summary: 'Get the time statistics of an issue',
    access: within(project('signed-in'), issueInPath),
    reply: TimeStats,
    handle: ({ issue }) => presentTimeStats(issue),
  }),
  endpoint(`POST ${at}/time_estimate`, {
    summary: 'Set the time estimate of an issue',
    access: editableIssue,
    body: { duration },
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, issue, body }) =>
      presentTimeStats(await setEstimate(app, { user, project, level }, issue, body.duration)),
  }),
  endpoint(`POST ${at}/reset_time_estimate`, {
    summary: 'Reset the time estimate of an issue',
    access: editableIssue,
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, issue }) => presentTimeStats(await setEstimate(app, { user, project, level }, issue, null)),
  }),
  endpoint(`POST ${at}/add_spent_time`, {
    summary: 'Add spent time to an issue, or subtract it',
    access: editableIssue,
    body: { duration },
    reply: TimeStats,
    handle: async ({ app, user, project, level, issue, body }) =>
      presentTimeStats(await addSpentTime(app, { user, project, level }, issue, body.duration)),
  }),
  endpoint(`POST ${at}/reset_spent_time`, {
    summary: 'Reset the spent time of an issue',
    access: editableIssue,
    reply: TimeStats,
    status: 200,
    handle: async ({ app, user, project, level, issue }) =>
      presentTimeStats(await addSpentTime(app, { user, project, level }, issue, null)),
  }),
]
