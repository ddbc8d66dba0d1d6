/** Writes mail about deployments that wait for approvals: to those who may give them, and to whoever deploys about each answer. */

import type { LocatedProject } from '../../../access/find.ts'
import { findProject } from '../../../access/find.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import { environmentAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { CiDeployment, CiEnvironment } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { html } from '../../../html/untranslated.ts'
import { deploymentAt, environmentsById } from '../../ci/environments/environments.ts'
import { groupsAbove, type Setting, settingsAt } from '../../spaces/notification-settings/notification-settings.ts'
import { addressees, type Content, mailIn } from '../outbox/outbox.ts'

interface OfDeployment {
  project_id: number
  deployment_id: number
}

export interface Asked extends OfDeployment {
  user_ids: number[]
  /** The approvals that were missing then. */
  missing: number
}

export interface Decided extends OfDeployment {
  actor_id: number
  status: 'approved' | 'rejected'
  comment: string | null
  /** The approvals that were missing then. */
  missing: number
  at: string
}

/** Levels with mail about deployments that need an approval: all at which one takes part, so neither `mention` nor `disabled`. */
const wantsIt = ({ level }: Setting) => level === 'participating' || level === 'watch' || level === 'custom'

/** Once for each deployment and reader. Writes nothing if it waits no longer. */
export async function mailAsked(app: App, { project_id, deployment_id, user_ids, missing }: Asked): Promise<void> {
  const place = await placeOf(app, project_id, deployment_id)
  if (place?.deployment.status !== 'blocked') return
  const { project, deployment, environment } = place
  const { ref, sha, user_id } = deployment
  const readers = await addressees(app.db, await wantedBy(app, project, user_ids))
  const by = user_id === null ? null : await userById(app.db, user_id)
  const what = `${by?.name ?? 'Somebody'} wants to deploy ${ref} (${sha.slice(0, 8)}) to ${environment.name}.`
  const lines = [what, `Missing approvals: ${missing}. You may give one.`]
  const content = contentOf(app, place, { key: 'asked', subject: `Approve the deployment to ${environment.name}`, lines })
  const recipients = readers.map((reader) => ({ ...reader, reason: null }))
  await inTransaction(app.db, (tx) => mailIn(tx, content, recipients))
}

/** To whoever deploys, if they can see it now. */
export async function mailDecided(app: App, { project_id, deployment_id, actor_id, status, comment, missing, at }: Decided): Promise<void> {
  const place = await placeOf(app, project_id, deployment_id)
  const user = place?.deployment.user_id ? await userById(app.db, place.deployment.user_id) : null
  const access = user && (await findProject(app.db, String(project_id), user).catch(nullIfMissing))
  if (!place || !access || !mayReadJobs(access)) return
  const [wanting, actor] = [await wantedBy(app, place.project, [user.id]), await userById(app.db, actor_id)]
  const { name } = place.environment
  const what = `${actor?.name ?? 'Somebody'} has ${status} your deployment of ${place.deployment.ref} to ${name}.`
  const next = missing === 0 ? 'It has all its approvals.' : `Missing approvals: ${missing}.`
  const lines = [what, ...(status === 'approved' ? [next] : []), ...(comment ? [comment] : [])]
  const subject = status === 'approved' ? `Deployment to ${name} was approved` : `Deployment to ${name} was rejected`
  const content = contentOf(app, place, { key: `${status}:${actor_id}:${at}`, subject, lines })
  const [reader] = await addressees(app.db, wanting)
  if (reader) await inTransaction(app.db, (tx) => mailIn(tx, content, [{ ...reader, reason: null }]))
}

interface Place {
  project: LocatedProject
  deployment: CiDeployment
  environment: CiEnvironment
}

/** Null if the deployment, or what it belongs to, is gone. */
async function placeOf({ db }: App, project_id: number, deployment_id: number): Promise<Place | null> {
  const found = await findProject(db, String(project_id), everything).catch(nullIfMissing)
  const deployment = found && (await deploymentAt(db, project_id, deployment_id))
  const environment = deployment && (await environmentsById(db, [deployment.environment_id])).get(deployment.environment_id)
  return found && deployment && environment ? { project: found.project, deployment, environment } : null
}

async function wantedBy({ db }: App, { id: project_id, namespace_id }: LocatedProject, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const place = { project_id, namespace_id }
  const settingOf = await settingsAt(db, place, await groupsAbove(db, place), ids)
  return ids.filter((id) => wantsIt(settingOf(id)))
}

function contentOf(
  { config }: App,
  { project, deployment: { id, iid }, environment }: Place,
  { key, subject, lines }: { key: string; subject: string; lines: string[] },
): Content {
  return {
    key: `deployment:${id}:${key}`,
    from_name: 'Gitstead',
    subject: `${project.name} | ${subject} (#${iid})`,
    text: lines.join('\n\n'),
    html: html`${lines.map((line) => html`<p>${line}</p>`)}`.text,
    url: pageUrl(config, environmentAddress(project, environment)),
    message_id: `deployment_${id}_${key.replaceAll(':', '_')}@${config.hostname}`,
    in_reply_to: null,
    headers: {
      'List-Id': `<${project.id}.${project.full_path.replaceAll('/', '.')}.${config.hostname}>`,
      'X-GitLab-Project': project.name,
      'X-GitLab-Project-Id': String(project.id),
      'X-GitLab-Project-Path': project.full_path,
    },
    issue_id: null,
    merge_request_id: null,
  }
}
