/** Background work: mail about activity, and each morning about issues that are due the next day. */
import { today } from '../../../db/instants.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { issuesDue } from './activity-mails.queries.ts'
import { writeMail } from './activity-mails.service.ts'
import { type Notice, plain } from './notices.ts'
import { type CommentNotice, mailComment } from './snippet-comments.service.ts'

export const writeMailJob: Job<Notice> = job('notifications.write_mail', { handle: writeMail })

export const mailCommentJob: Job<CommentNotice> = job('notifications.mail_comment', { handle: mailComment })

const day_ms = 24 * 60 * 60_000
const atOnce = 200

/** Users are notified the day before. A second run on the same day sends nothing, as the key of the message contains the day. */
export const dueIssuesJob = job('notifications.due_issues', {
  every_ms: 60 * 60_000,
  at_start: true,
  async handle(app, _, stopping) {
    if (app.mailer === null) return
    const tomorrow = new Date(Date.parse(today()) + day_ms).toISOString().slice(0, 10)
    for (let after = 0; !stopping?.aborted; ) {
      const issues = await issuesDue(app.db, tomorrow, after, atOnce)
      for (const { id, author_id } of issues)
        await writeMail(app, { ...plain, act: 'due', on: { kind: 'issue', id }, actor_id: author_id, at: tomorrow })
      const last = issues.at(-1)
      if (!last || issues.length < atOnce) return
      after = last.id
    }
  },
})
