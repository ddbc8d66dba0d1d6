/** Adds and removes secondary email addresses of users. */
import { requirePerson } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Email, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, notFound } from '../../../failure.ts'
import { assertValid } from '../../../validation.ts'
import { deleteEmail, forgetEmail, insertEmail } from './emails.queries.ts'
import { emailError, readEmail } from './users.rules.ts'

/** Throws 400 for an address that someone has, or that is invalid. */
export async function addEmail(app: App, user: User, sent: string, options: { confirmed: boolean }): Promise<Email> {
  requirePerson(user)
  const email = readEmail(sent)
  assertValid({ email: emailError(email) })
  const at = now()
  try {
    return await inTransaction(app.db, async (tx) => {
      const confirmed_at = options.confirmed ? at : null
      const added = await insertEmail(tx, { user_id: user.id, email, is_primary: false, confirmed_at, created_at: at })
      await publish(tx, { type: 'email_added', email: added })
      return added
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid({ email: ['has already been taken'] }, error) : error
  }
}

/** Throws 404 if it has gone meanwhile, or become the primary one. */
export async function removeEmail(app: App, { id, user_id, email }: Email): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await deleteEmail(tx, id))) throw notFound('Email')
    await forgetEmail(tx, user_id, email)
  })
}
