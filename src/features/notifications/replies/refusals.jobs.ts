/** Background work: tells the sender of a reply why it did not become a comment. */
import { job } from '../../../queue/queue.ts'
import { type Refusal, refusalMessage } from './refusals.ts'

export const mailRefusalJob = job<Refusal>('mail.refuse_reply', {
  lane: 'remote',
  attempts: 12,
  async handle(app, refusal) {
    const outcome = await app.mailer?.send(refusalMessage(app, refusal))
    if (outcome?.kind === 'deferred') throw new Error(`mail: refusal not sent yet: ${outcome.error}`)
  },
})
