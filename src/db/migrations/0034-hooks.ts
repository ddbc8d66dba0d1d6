/** Webhooks of projects, groups and the instance, their pending deliveries, and the log of deliveries. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

/** The events that trigger a hook, by the names that clients use. */
const off = [
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'merge_requests_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
  'member_events',
  'subgroup_events',
  'repository_update_events',
]

export const hooks: Migration = {
  async up(db) {
    await createHooks(db)
    await createDeliveries(db)
  },
}

/** A hook belongs to a project, to a group, or with neither to the instance. URLs and tokens are sealed (`program/secrets.ts`). */
async function createHooks(db: Kysely<unknown>): Promise<void> {
  let table = tableWithId(db, 'hooks')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
    .addColumn('name', 'text')
    .addColumn('description', 'text')
    .addColumn('url', 'text', required)
    .addColumn('token', 'text')
    .addColumn('signing_token', 'text')
    .addColumn('push_events', 'boolean', flag(true))
  for (const events of off) table = table.addColumn(events, 'boolean', flag(false))
  await table
    .addColumn('push_events_branch_filter', 'text')
    .addColumn('enable_ssl_verification', 'boolean', flag(true))
    .addColumn('failures', 'integer', number(0))
    .addColumn('rests_until', 'text')
    .addColumn('last_error', 'text')
    .addColumn('sender', 'text')
    .addColumn('sending_until', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema.createIndex('hooks_project').on('hooks').column('project_id').execute()
  await db.schema.createIndex('hooks_namespace').on('hooks').column('namespace_id').execute()
}

/** The payload of an event is stored once, however many hooks get it. */
async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'hook_payloads')
    .addColumn('event', 'text', required)
    .addColumn('body', 'text')
    .addColumn('facts', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('hook_payloads_old').on('hook_payloads').column('created_at').execute()
  await tableWithId(db, 'hook_deliveries')
    .addColumn('hook_id', 'bigint', (column) => refers('hooks.id')(column).notNull())
    .addColumn('payload_id', 'bigint', (column) => refers('hook_payloads.id')(column).notNull())
    .addColumn('uuid', 'text', required)
    .addColumn('event', 'text', required)
    .addColumn('state', 'text', words('waiting'))
    .addColumn('attempts', 'integer', number(0))
    .addColumn('due_at', 'text', required)
    .addColumn('response_status', 'integer')
    .addColumn('response_headers', 'text')
    .addColumn('response_body', 'text')
    .addColumn('duration_ms', 'integer')
    .addColumn('error', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('attempted_at', 'text')
    .execute()
  for (const [name, columns] of [
    ['hook_deliveries_newest', ['hook_id', 'id']],
    ['hook_deliveries_payload', ['payload_id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('hook_deliveries')
      .columns([...columns])
      .execute()
  await db.schema
    .createIndex('hook_deliveries_waiting')
    .on('hook_deliveries')
    .columns(['hook_id', 'id'])
    .where(sql.ref('state'), '=', sql.lit('waiting'))
    .execute()
}
