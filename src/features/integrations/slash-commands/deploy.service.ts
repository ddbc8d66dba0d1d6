/** Deploys what is in one environment to another, with the corresponding manual job in the pipeline of the last deployment. */
import { may } from '../../../access/permissions.ts'
import { jobAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { forbidden } from '../../../failure.ts'
import { deploymentActionOf, startAction } from '../../ci/environments/environments.ts'
import { mayRunOn } from '../../ci/pipelines/pipelines.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import type { Answer } from './answers.schema.ts'
import * as say from './answers.ts'

/** Throws 403 if the user may not deploy, or may not run jobs on this branch or tag. */
export async function deploy(app: App, actor: Actor, { from, to }: { from: string; to: string }): Promise<Answer> {
  const { project, level, user } = actor
  if (project.archived || !may('deploy', level)) throw forbidden()
  const action = await deploymentActionOf(app.db, project.id, from, to)
  if (!action) return say.privately([`There is no manual job that deploys from ${from} to ${to}.`])
  if (!(await mayRunOn(app, { project, level }, action))) throw forbidden()
  const started = await startAction(app.db, action, user.id)
  if (started === null) return say.privately([`The job ${action.name} can not be started now.`])
  const url = pageUrl(app.config, jobAddress(project, started))
  return say.inChannel({ text: [`Deployment from ${from} to ${to} started: `, { text: `job ${action.name}`, url }, '.'] })
}
