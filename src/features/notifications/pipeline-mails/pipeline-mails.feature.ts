/** Background work of mail about pipelines, for the table of contents. */
import { feature } from '../../feature.ts'
import { pipelineMailJob } from './pipeline-mails.jobs.ts'

export const pipelineMailsFeature = feature({ jobs: [pipelineMailJob] })
