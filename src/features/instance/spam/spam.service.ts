/** Rules of spam checks: what is checked, what is refused, and that a service that fails stops nobody. */
import type { App } from '../../../app.ts'
import { now } from '../../../db/instants.ts'
import type { SpamLog, User } from '../../../db/tables.ts'
import { currentOrigin } from '../../../domain-events/origin.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { readSettings } from '../settings/settings.ts'
import { askIfSpam, type CheckedText, tellAsHam } from './akismet.ts'
import { insertSpamLog, markAsHam, userById } from './spam.queries.ts'

/** A text that a user is about to save. */
export interface Written {
  kind: SpamLog['kind']
  title: string
  text: string
}

/** The limit of what is sent to the service, and kept of what it refuses. */
const maxText_chars = 64 * 1024
const maxUserAgent_chars = 1_000

/**
 * Call it before a text that everybody can read is saved, and before the transaction in which it is. Throws 400 for spam, which the log of
 * spam then has. Without a request, as in imports and jobs, nothing is checked.
 * @param describe called only if checks are enabled; null for what needs none
 */
export async function assertNotSpam(app: App, author: User, describe: () => Promise<Written | null> | Written | null): Promise<void> {
  const origin = currentOrigin()
  if (!origin?.address) return
  const key = await keyOf(app)
  const written = key === null ? null : await describe()
  if (key === null || written === null) return
  const { kind, title, text } = written
  const sent = {
    title,
    text: text.slice(0, maxText_chars),
    ip_address: origin.address,
    user_agent: origin.user_agent.slice(0, maxUserAgent_chars),
    created_at: now(),
  }
  if (!(await isSpam(app, key, checkedOf(author, sent)))) return
  await insertSpamLog(app.db, { ...sent, kind, user_id: author.id })
  throw new Failure('invalid', 'Spam detected', { body: { message: { error: 'Spam detected' } } })
}

/** Tells the service that what it refused is none. Throws 400 if it doesn't answer, or if checks are disabled, 404 without the account. */
export async function submitAsHam(app: App, log: SpamLog): Promise<void> {
  const key = await keyOf(app)
  if (key === null) throw invalid('Spam checks are disabled')
  const author = await userById(app.db, log.user_id)
  if (!author) throw notFound('User')
  await tellAsHam(app, key, checkedOf(author, log))
  await markAsHam(app.db, log.id)
}

/** Null if nothing is checked. */
async function keyOf(app: App): Promise<string | null> {
  const { spamcheck_enabled, spamcheck_api_key } = await readSettings(app.db)
  return spamcheck_enabled ? spamcheck_api_key : null
}

async function isSpam(app: App, key: string, checked: CheckedText): Promise<boolean> {
  try {
    return await askIfSpam(app, key, checked)
  } catch (error) {
    app.log.error({ err: error }, 'spam check: the service failed, nothing was checked')
    return false
  }
}

function checkedOf(
  { name, email }: Pick<User, 'name' | 'email'>,
  { title, text, ip_address, user_agent, created_at }: Pick<SpamLog, 'title' | 'text' | 'ip_address' | 'user_agent' | 'created_at'>,
): CheckedText {
  return { text: `${title}\n${text}`.trim(), author: name, author_email: email, ip_address, user_agent, sent_at: created_at }
}
