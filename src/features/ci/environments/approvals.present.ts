/** Approvals of deployments as JSON. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { CiDeployment, CiDeploymentApproval } from '../../../db/tables.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import type { DeploymentApproval } from '../protected-environments/protected-environments.schema.ts'
import { approvingRules, countingFor, namesIn, presentApprovingRule } from '../protected-environments/protected-environments.ts'
import { approvalStateOf } from './approvals.service.ts'

export function presentApproval(
  { config }: App,
  { status, created_at, comment }: CiDeploymentApproval,
  user: UserInBrief | undefined,
): Static<typeof DeploymentApproval> {
  return { user: user ? presentUserBrief(config, user) : null, status, created_at, comment }
}

/** Fields that a deployment to a protected environment has in addition; none for other deployments. At most ten statements. */
export async function presentApprovals(app: App, project: LocatedProject, viewer: Viewer, deployment: CiDeployment) {
  const state = await approvalStateOf(app.db, project, deployment)
  if (!state) return {}
  const { protections, approvals, standing, missing } = state
  const users = await usersInBrief(
    app.db,
    approvals.map(({ user_id }) => user_id),
  )
  const rules = approvingRules(protections)
  const names = await namesIn(app.db, viewer, rules)
  const present = (given: CiDeploymentApproval[]) => given.map((one) => presentApproval(app, one, users.get(one.user_id)))
  return {
    pending_approval_count: missing,
    approvals: present(approvals),
    approval_summary: {
      rules: rules.map((rule) =>
        Object.assign(presentApprovingRule(rule, names), { deployment_approvals: present(countingFor(rule, approvals, standing)) }),
      ),
    },
  }
}
