/** The payload of deployments. */
import { jobAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { userAddress } from '../../../addresses/places.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { DeploymentPayload } from './ci.schema.ts'
import type { DeploymentFacts } from './facts.ts'
import { environmentById } from './parts.queries.ts'
import { commitOf, settingOf } from './parts.ts'

/** Null if the environment has been deleted. */
export async function deploymentPayload(app: App, facts: DeploymentFacts): Promise<Presented<typeof DeploymentPayload> | null> {
  const { deployment, approval } = facts
  const [setting, environment] = [await settingOf(app, facts), await environmentById(app.db, deployment.environment_id)]
  if (!setting || !environment) return null
  const { project, user, shown } = setting
  const commit = await commitOf(app, project, deployment.sha)
  return {
    object_kind: 'deployment',
    status: deployment.status,
    status_changed_at: deployment.updated_at,
    deployment_id: deployment.id,
    deployable_id: deployment.job_id,
    deployable_url: deployment.job_id === null ? null : pageUrl(app.config, jobAddress(project, deployment.job_id)),
    environment: environment.name,
    environment_tier: environment.tier,
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: shown,
    ref: deployment.ref,
    short_sha: deployment.sha.slice(0, 8),
    user,
    user_url: pageUrl(app.config, userAddress(user.username)),
    commit_url: pageUrl(app.config, commitAddress(project, deployment.sha)),
    commit_title: commit && titleOf(commit.message),
    approval: approval && { status: approval.status, comment: approval.comment },
  }
}
