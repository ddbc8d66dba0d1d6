/** Access rules for users who may push to a project. */
import { may } from '../../../access/permissions.ts'
import { type Access, type Acting, only, type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { branchesOpenTo } from './collaboration.service.ts'

/** The project in `:id`, for developers, and for users whom an open merge request lets push to one of its branches. */
export function pushable(): Access<ProjectGranted & Acting> {
  const description = 'At least developer of the project, or who may push to a branch by a merge request that allows collaboration.'
  const rule = only(project('signed-in'), {
    description,
    holds: async ({ actor }, { app }) => may('push_code', actor.level) || (await branchesOpenTo(app, actor)).size > 0,
  })
  return { ...rule, description, signedInDescription: description }
}
