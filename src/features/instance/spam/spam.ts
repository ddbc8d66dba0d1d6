/**
 * Spam checks: what everybody could read is shown to a service that speaks the protocol of Akismet before it is saved. What others may use.
 */
export { deleteSpamLog, type ListedSpamLog, listSpamLogs, spamLogById } from './spam.queries.ts'
export { assertNotSpam, submitAsHam } from './spam.service.ts'
