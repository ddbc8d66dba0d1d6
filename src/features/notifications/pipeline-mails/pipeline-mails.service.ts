/** Writes the mail about a pipeline that has ended, to the user who started it, if they can see it now. */

import { findProject, type ProjectAccess } from '../../../access/find.ts'
import { mayReadJobs } from '../../../access/jobs.ts'
import { userById } from '../../../access/users.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { Pipeline, User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { html } from '../../../html/untranslated.ts'
import { findPipeline } from '../../ci/pipelines/pipelines.ts'
import { groupsAbove, settingsAt } from '../../spaces/notification-settings/notification-settings.ts'
import { addressees, type Content, mailIn } from '../outbox/outbox.ts'
import { endingBefore, failedJobsOf } from './pipeline-mails.queries.ts'
import { isPipelineWanted, type PipelineEnding } from './wanted.ts'

export interface Ending {
  project_id: number
  pipeline_id: number
  status: 'failed' | 'success'
  at: string
}

/** Writes nothing if nobody wants the mail, or the pipeline is gone. */
export async function mailPipeline(app: App, ended: Ending): Promise<void> {
  const pipeline = await findPipeline(app.db, ended.project_id, ended.pipeline_id)
  const user = pipeline?.user_id ? await userById(app.db, pipeline.user_id) : null
  const access = user && (await accessOf(app.db, ended.project_id, user))
  if (!pipeline || !access || !mayReadJobs(access)) return
  const { id: project_id, namespace_id } = access.project
  const place = { project_id, namespace_id }
  const settingOf = await settingsAt(app.db, place, await groupsAbove(app.db, place), [user.id])
  const ending = ended.status === 'success' && (await endingBefore(app.db, pipeline)) === 'failed' ? 'fixed' : ended.status
  if (!isPipelineWanted(settingOf(user.id), ending)) return
  const [reader] = await addressees(app.db, [user.id])
  if (!reader) return
  const content = await contentOf(app, access, pipeline, { ...ended, ending })
  await inTransaction(app.db, (tx) => mailIn(tx, content, [{ ...reader, reason: null }]))
}

async function accessOf(db: Db, id: number, user: User): Promise<ProjectAccess | null> {
  try {
    return await findProject(db, String(id), user)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

const words: Record<PipelineEnding, string> = { failed: 'has failed', fixed: 'has been fixed', success: 'has succeeded' }
const maxJobs = 20

async function contentOf(
  { db, config }: App,
  { project }: ProjectAccess,
  pipeline: Pipeline,
  { at, ending, status }: Ending & { ending: PipelineEnding },
): Promise<Content> {
  const { id, ref, sha } = pipeline
  const jobs = status === 'failed' ? await failedJobsOf(db, id, maxJobs) : []
  const said = `Pipeline #${id} of ${ref} (${sha.slice(0, 8)}) ${words[ending]}.`
  const lines = jobs.map(({ name, stage }) => `${stage}: ${name}`)
  return {
    key: `pipeline:${id}:${status}:${at}`,
    from_name: 'Gitstead',
    subject: `${project.name} | Pipeline #${id} ${words[ending]} for ${ref} | ${sha.slice(0, 8)}`,
    text: [said, ...(lines.length > 0 ? [`Failed jobs:\n${lines.map((line) => `* ${line}`).join('\n')}`] : [])].join('\n\n'),
    html: html`<p>${said}</p>${lines.length > 0 && html`<p>Failed jobs:</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}`.text,
    url: pageUrl(config, pipelineAddress(project, id)),
    message_id: `pipeline_${id}_${status}_${Date.parse(at)}@${config.hostname}`,
    in_reply_to: null,
    headers: {
      'List-Id': `<${project.id}.${project.full_path.replaceAll('/', '.')}.${config.hostname}>`,
      'X-GitLab-Project': project.name,
      'X-GitLab-Project-Id': String(project.id),
      'X-GitLab-Project-Path': project.full_path,
      'X-GitLab-Pipeline-Id': String(id),
      'X-GitLab-Pipeline-Ref': ref,
      'X-GitLab-Pipeline-Status': status,
    },
    issue_id: null,
    merge_request_id: null,
  }
}
