/** The secondary email addresses of users. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { Email as EmailRow, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, userById, within } from '../../../http/declare/within.ts'
import { Id, none, Off } from '../../../http/parameters/schema.ts'
import type { Page } from '../../../http/reply/page.ts'
import { emailOfUser, listEmails } from './emails.queries.ts'
import { addEmail, removeEmail } from './emails.service.ts'
import { Email } from './users.schema.ts'

const ownEmail = nested({ email_id: Id }, async ({ user }: SignedIn, { email_id }, app) => ({
  email: await findEmail(app.db, user, email_id),
}))
const emailOfOwner = nested({ email_id: Id }, async ({ owner }: { owner: User }, { email_id }, app) => ({
  email: await findEmail(app.db, owner, email_id),
}))

const ownEmails = [
  listEndpoint('GET /user/emails', {
    summary: 'List the secondary email addresses of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    item: Email,
    handle: ({ app, user, page }) => presentEmails(app.db, user, page),
  }),
  endpoint('GET /user/emails/:email_id', {
    summary: 'Get a secondary email address of the current user',
    access: within(signedIn(), ownEmail),
    scopes: ['read_user'],
    reply: Email,
    handle: ({ email }) => presentEmail(email),
  }),
  endpoint('POST /user/emails', {
    summary: 'Add an email address to the current user',
    access: signedIn(),
    body: { email: Type.String() },
    reply: Email,
    handle: async ({ app, user, body }) => presentEmail(await addEmail(app, user, body.email, { confirmed: false })),
  }),
  endpoint('DELETE /user/emails/:email_id', {
    summary: 'Delete a secondary email address of the current user',
    access: within(signedIn(), ownEmail),
    reply: none,
    lastChanged: ({ email }) => email.created_at,
    handle: ({ app, email }) => remove(app, email),
  }),
]

const emailsOfOthers = [
  listEndpoint('GET /users/:id/emails', {
    summary: 'List the secondary email addresses of a user',
    access: within(administrator(), userById),
    scopes: ['read_user'],
    item: Email,
    handle: ({ app, owner, page }) => presentEmails(app.db, owner, page),
  }),
  endpoint('POST /users/:id/emails', {
    summary: 'Add an email address to a user',
    access: within(administrator(), userById),
    body: { email: Type.String(), skip_confirmation: Off },
    reply: Email,
    handle: async ({ app, owner, body }) => presentEmail(await addEmail(app, owner, body.email, { confirmed: body.skip_confirmation })),
  }),
  endpoint('DELETE /users/:id/emails/:email_id', {
    summary: 'Delete a secondary email address of a user',
    access: within(within(administrator(), userById), emailOfOwner),
    reply: none,
    lastChanged: ({ email }) => email.created_at,
    handle: ({ app, email }) => remove(app, email),
  }),
]

export const emails = [...ownEmails, ...emailsOfOthers]

function presentEmail({ id, email }: EmailRow) {
  return { id, email }
}

async function presentEmails(db: Db, user: User, page: Page) {
  const { rows, total } = await listEmails(db, user.id, page)
  return { rows: rows.map(presentEmail), total }
}

async function remove(app: App, email: EmailRow): Promise<null> {
  await removeEmail(app, email)
  return null
}

async function findEmail(db: Db, user: User, id: number): Promise<EmailRow> {
  const email = await emailOfUser(db, user.id, id)
  if (!email) throw notFound('Email')
  return email
}
