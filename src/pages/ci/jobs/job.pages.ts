/** The page of a job: its log, its artifacts, and its actions. */
import { Type } from 'typebox'
import { jobAddress } from '../../../addresses/ci.ts'
import { keepArtifacts, removeArtifacts } from '../../../features/ci/artifacts/artifacts.ts'
import { jobInProject } from '../../../features/ci/job-access/job-access.ts'
import { cancelIfLive, eraseJob, jobChanged, jobErased, playWaitingJob, retryIfEnded } from '../../../features/ci/jobs/jobs.ts'
import { jobReaders } from '../../../features/ci/overviews/overviews.ts'
import { assertKeys } from '../../../features/ci/pipelines/pipelines.ts'
import { openTrace } from '../../../features/ci/traces/traces.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { jobInPath, logInPath } from '../seen.ts'
import { sentences } from '../sentences.ts'
import { readVariables } from '../variables-field.ts'
import { jobView, logPartView } from './job-view.ts'
import { playView } from './play-view.ts'

const access = within(jobReaders, jobInPath)
const logAccess = within(jobReaders, logInPath)
const maxLine = 1_000_000_000

export const jobPages = [
  page('GET /:project/-/jobs/:job_id', { access, show: (seen) => jobView(seen) }),
  page('GET /:project/-/jobs/:job_id/log', {
    access: logAccess,
    query: {
      from: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
      line: Type.Integer({ minimum: 1, maximum: maxLine, default: 1 }),
      state: Type.String({ default: '', maxLength: 4_000 }),
      before: Type.Integer({ minimum: 0, maximum: maxLine, default: 0 }),
    },
    show: ({ sent, ...seen }) => logPartView(seen, sent),
  }),
  page('GET /:project/-/jobs/:job_id/raw', {
    access: logAccess,
    async show({ app, status }) {
      const trace = await openTrace(app, status.id)
      return { bytes: { describe: () => ({ type: 'text/plain; charset=utf-8' }), open: () => trace?.read() ?? Buffer.alloc(0) } }
    },
  }),
  action('POST /:project/-/jobs/:job_id/retry', {
    access: jobChanged,
    async act({ app, project, user, job }) {
      const id = await retryIfEnded(app, job, user)
      return { redirect: jobAddress(project, id ?? job.id), notice: id === null ? sentences.notNow : sentences.jobRetried(job.name) }
    },
  }),
  action('POST /:project/-/jobs/:job_id/cancel', {
    access: jobChanged,
    async act({ app, project, job }) {
      const isCanceled = await cancelIfLive(app, job, job.canceling_at !== null)
      return { redirect: jobAddress(project, job.id), notice: isCanceled ? sentences.jobCanceled(job.name) : sentences.notNow }
    },
  }),
  page('GET /:project/-/jobs/:job_id/play', { access: jobChanged, show: (seen) => playView(seen, untouched) }),
  action('POST /:project/-/jobs/:job_id/play', {
    access: jobChanged,
    form: { variables: Type.String({ default: '', maxLength: 200_000 }) },
    async act({ app, project, user, job, sent }) {
      const variables = readVariables(sent.variables)
      assertKeys(variables)
      const isWaiting = job.status === 'manual' || job.status === 'scheduled'
      if (isWaiting) await playWaitingJob(app, job, user, variables)
      return { redirect: jobAddress(project, job.id), notice: isWaiting ? sentences.jobPlayed(job.name) : sentences.notNow }
    },
    again: (seen, typed) => playView(seen, typed),
  }),
  action('POST /:project/-/jobs/:job_id/erase', {
    access: jobErased,
    async act({ app, project, user, job }) {
      await eraseJob(app, job, user)
      return { redirect: jobAddress(project, job.id), notice: sentences.jobErased(job.name) }
    },
  }),
  action('POST /:project/-/jobs/:job_id/artifacts/keep', {
    access: within(project('keep_artifacts'), jobInProject),
    async act({ app, project, job }) {
      await keepArtifacts(app, job.row.id)
      return { redirect: jobAddress(project, job.row.id), notice: sentences.artifactsKept }
    },
  }),
  action('POST /:project/-/jobs/:job_id/artifacts/delete', {
    access: within(project('delete_artifacts'), jobInProject),
    async act({ app, project, job }) {
      await removeArtifacts(app, job.row.id)
      return { redirect: jobAddress(project, job.row.id), notice: sentences.artifactsDeleted }
    },
  }),
]
