/** Background work: mail to the user who started a finished pipeline. */
import { job } from '../../../queue/queue.ts'
import { type Ending, mailPipeline } from './pipeline-mails.service.ts'

export const pipelineMailJob = job<Ending>('notifications.mail_pipeline', { handle: mailPipeline })
