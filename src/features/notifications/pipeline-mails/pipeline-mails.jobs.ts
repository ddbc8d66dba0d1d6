/** Background work: mail to whoever started a pipeline that has ended. */
import { job } from '../../../queue/queue.ts'
import { type Ending, mailPipeline } from './pipeline-mails.service.ts'

export const pipelineMailJob = job<Ending>('notifications.mail_pipeline', { handle: mailPipeline })
