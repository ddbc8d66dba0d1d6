/** Background work of mail about pipelines and deployments, for the table of contents. */
import { feature } from '../../feature.ts'
import { deploymentAskedJob, deploymentDecidedJob } from './deployment-mails.jobs.ts'
import { pipelineMailJob } from './pipeline-mails.jobs.ts'

export const pipelineMailsFeature = feature({ jobs: [pipelineMailJob, deploymentAskedJob, deploymentDecidedJob] })
