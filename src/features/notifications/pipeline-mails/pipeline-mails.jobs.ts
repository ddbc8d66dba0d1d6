/** Background work: mail about a pipeline that has ended, to the user who started it. */
import { job } from '../../../queue/queue.ts'
import { type Ending, mailPipeline } from './pipeline-mails.service.ts'

export const pipelineMailJob = job<Ending>('notifications.mail_pipeline', { handle: mailPipeline })
