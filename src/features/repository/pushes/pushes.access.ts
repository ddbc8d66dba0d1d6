/** Access rules for whoever may push to a project. */
import { may } from '../../../access/permissions.ts'
import { type Access, only, type ProjectGranted, project, type SignedIn } from '../../../http/declare/rules.ts'
import { branchesOpenTo } from './collaboration.service.ts'

/** The project in `:id`, for developers, and for those whom an open merge request lets push to one of its branches. */
export function pushable(): Access<ProjectGranted & SignedIn> {
  const description = 'At least developer of the project, or who may push to a branch by a merge request that allows collaboration.'
  const rule = only(project('signed-in'), {
    description,
    holds: async ({ project, level, user }, { app }) =>
      may('push_code', level) || (await branchesOpenTo(app, { user, project, level })).size > 0,
  })
  return { ...rule, description, signedInDescription: description }
}
