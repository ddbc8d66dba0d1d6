/** The protocol of Akismet: whether a text is spam, and what wrongly counted as such. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { post } from '../../../outgoing/post.ts'
import { readTarget } from '../../../outgoing/ssrf-guard.ts'
import { locateTarget, targetRules } from '../targets.ts'

/** A text with who sent it, and from where. */
export interface CheckedText {
  text: string
  author: string
  author_email: string
  ip_address: string
  user_agent: string
  /** When it was sent; undefined for now. */
  sent_at?: string
}

/** A person waits for the answer. */
const deadline_ms = 3_000
const maxReply_bytes = 4_096

/** Throws `invalid` if there is no answer in time, or none that means yes or no. */
export async function askIfSpam(app: App, key: string, checked: CheckedText): Promise<boolean> {
  const reply = await ask(app, 'comment-check', key, checked)
  if (reply === 'true') return true
  if (reply === 'false') return false
  throw new Failure('invalid', `The service answered "${reply.slice(0, 100)}"`)
}

/** Tells the service that a text is no spam. Throws `invalid` if it doesn't confirm that. */
export async function tellAsHam(app: App, key: string, checked: CheckedText): Promise<void> {
  const reply = await ask(app, 'submit-ham', key, checked)
  if (!/^thanks/i.test(reply)) throw new Failure('invalid', `The service answered "${reply.slice(0, 100)}"`)
}

async function ask(app: App, path: string, key: string, checked: CheckedText): Promise<string> {
  const target = await locateTarget(app, readTarget(`${app.config.spam_check_url}/${path}`, await targetRules(app)))
  const fields = new URLSearchParams({
    api_key: key,
    blog: app.config.url,
    user_ip: checked.ip_address,
    user_agent: checked.user_agent,
    comment_type: 'comment',
    comment_author: checked.author,
    comment_author_email: checked.author_email,
    comment_content: checked.text,
    ...(checked.sent_at !== undefined && { comment_date_gmt: checked.sent_at }),
  })
  const { status, body } = await post(target, {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'user-agent': 'Gitstead | spam check' },
    body: Buffer.from(fields.toString()),
    deadline_ms,
    max_bytes: maxReply_bytes,
    verifies: true,
  })
  if (status !== 200) throw new Failure('invalid', `The service answered with status ${status}`)
  return body.trim()
}
