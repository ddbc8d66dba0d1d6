/** Background work: mail about deployments that wait for approvals. */
import { job } from '../../../queue/queue.ts'
import { type Asked, type Decided, mailAsked, mailDecided } from './deployment-mails.service.ts'

export const deploymentAskedJob = job<Asked>('notifications.mail_deployment_asked', { handle: mailAsked })

export const deploymentDecidedJob = job<Decided>('notifications.mail_deployment_decided', { handle: mailDecided })
