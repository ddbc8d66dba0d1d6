/** Outgoing and recently sent mail; and whether users want mail about their own actions. */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const mails: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('notified_of_own_activity', 'boolean', flag(false)).execute()
    await tableWithId(db, 'mail_contents')
      .addColumn('key', 'text', (column) => required(column).unique())
      .addColumn('from_name', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('text', 'text', required)
      .addColumn('html', 'text', required)
      .addColumn('url', 'text', required)
      .addColumn('message_id', 'text', required)
      .addColumn('in_reply_to', 'text')
      .addColumn('headers', 'text', words('{}'))
      .addColumn('issue_id', 'bigint', refers('issues.id', 'set null'))
      .addColumn('merge_request_id', 'bigint', refers('merge_requests.id', 'set null'))
      .addColumn('created_at', 'text', required)
      .execute()
    await tableWithId(db, 'mails')
      .addColumn('content_id', 'bigint', (column) => refers('mail_contents.id')(column).notNull())
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('address', 'text', required)
      .addColumn('reason', 'text')
      .addColumn('state', 'text', words('waiting'))
      .addColumn('attempts', 'integer', number(0))
      .addColumn('due_at', 'text', required)
      .addColumn('last_error', 'text')
      .addUniqueConstraint('mails_once', ['content_id', 'user_id', 'address'])
      .execute()
    await db.schema.createIndex('mails_due').on('mails').columns(['state', 'due_at']).execute()
    await db.schema.createIndex('mails_user').on('mails').column('user_id').execute()
    await db.schema.createIndex('mail_contents_created').on('mail_contents').column('created_at').execute()
    await db.schema.createIndex('mail_contents_issue').on('mail_contents').column('issue_id').execute()
    await db.schema.createIndex('mail_contents_merge_request').on('mail_contents').column('merge_request_id').execute()
  },
}
