/** The addresses of a user besides his primary one. */
import { Type } from 'typebox'
import { requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { Email as EmailRow, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import type { Page } from '../../../http/page.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator, signedIn } from '../../../http/rules.ts'
import { Id, none, Off } from '../../../http/schema.ts'
import { emailOfUser, listEmails } from './emails.queries.ts'
import { addEmail, removeEmail } from './emails.service.ts'
import { Email, UserNumber } from './users.schema.ts'

const ownEmails = [
  listEndpoint('GET /user/emails', {
    summary: 'List the further addresses of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    item: Email,
    handle: ({ app, user, page }) => presentEmails(app.db, user, page),
  }),
  endpoint('GET /user/emails/:email_id', {
    summary: 'Get a further address of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    params: { email_id: Id },
    reply: Email,
    handle: async ({ app, user, params }) => presentEmail(await requireEmail(app.db, user, params.email_id)),
  }),
  endpoint('POST /user/emails', {
    summary: 'Add an address to the current user',
    access: signedIn(),
    body: { email: Type.String() },
    reply: Email,
    handle: async ({ app, user, body }) => presentEmail(await addEmail(app, user, body.email, { confirmed: false })),
  }),
  endpoint('DELETE /user/emails/:email_id', {
    summary: 'Delete a further address of the current user',
    access: signedIn(),
    params: { email_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: ({ app, user, params, unmodifiedSince }) => removeOwn(app, user, params.email_id, unmodifiedSince),
  }),
]

const emailsOfOthers = [
  listEndpoint('GET /users/:id/emails', {
    summary: 'List the further addresses of a user',
    access: administrator(),
    scopes: ['read_user'],
    params: { id: UserNumber },
    item: Email,
    handle: async ({ app, params, page }) => presentEmails(app.db, await requireUser(app.db, params.id), page),
  }),
  endpoint('POST /users/:id/emails', {
    summary: 'Add an address to a user',
    access: administrator(),
    params: { id: UserNumber },
    body: { email: Type.String(), skip_confirmation: Off },
    reply: Email,
    async handle({ app, params, body }) {
      const user = await requireUser(app.db, params.id)
      return presentEmail(await addEmail(app, user, body.email, { confirmed: body.skip_confirmation }))
    },
  }),
  endpoint('DELETE /users/:id/emails/:email_id', {
    summary: 'Delete a further address of a user',
    access: administrator(),
    params: { id: UserNumber, email_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    handle: async ({ app, params, unmodifiedSince }) =>
      removeOwn(app, await requireUser(app.db, params.id), params.email_id, unmodifiedSince),
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

async function removeOwn(app: App, user: User, id: number, unmodifiedSince: Date | null): Promise<null> {
  const email = await requireEmail(app.db, user, id)
  requireUnmodified(unmodifiedSince, email.created_at)
  await removeEmail(app, email)
  return null
}

async function requireEmail(db: Db, user: User, id: number): Promise<EmailRow> {
  const email = await emailOfUser(db, user.id, id)
  if (!email) throw notFound('Email')
  return email
}
