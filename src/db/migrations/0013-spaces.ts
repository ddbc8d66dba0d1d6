/** Groups shared with groups, topics with rows of their own, and the access level of each feature of a project. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { flag, refers, required, tableWithId, words } from './columns.ts'

export const spaces: Migration = {
  async up(db) {
    await shareGroups(db)
    await createTopics(db)
    await moveTags(db)
    await replaceSwitches(db)
  },
}

/** A share belongs to a project or a group: exactly one of the two ids is set. */
async function shareGroups(db: Kysely<unknown>): Promise<void> {
  await (capabilitiesOf(db).altersConstraints ? alterShares : rebuildShares)(db)
  await db.schema.createIndex('group_shares_group').on('group_shares').column('group_id').execute()
}

const onePlace = sql`(project_id is null) <> (namespace_id is null)`

async function alterShares(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('group_shares_group').execute()
  await db.schema
    .alterTable('group_shares')
    .alterColumn('project_id', (column) => column.dropNotNull())
    .execute()
  await db.schema.alterTable('group_shares').addColumn('namespace_id', 'bigint', refers('namespaces.id')).execute()
  await db.schema.alterTable('group_shares').addUniqueConstraint('group_shares_namespace_group', ['namespace_id', 'group_id']).execute()
  await db.schema.alterTable('group_shares').addCheckConstraint('group_shares_one_place', onePlace).execute()
}

/** SQLite can't make an existing column nullable, so the table is rebuilt with the same ids. */
async function rebuildShares(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'new_shares')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
    .addColumn('group_id', 'bigint', (column) => refers('namespaces.id')(column).notNull())
    .addColumn('access_level', 'integer', required)
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('group_shares_once', ['project_id', 'group_id'])
    .addUniqueConstraint('group_shares_namespace_group', ['namespace_id', 'group_id'])
    .addCheckConstraint('group_shares_one_place', onePlace)
    .execute()
  const columns = sql.raw('id, project_id, group_id, access_level, expires_at, created_at')
  await sql`insert into new_shares (${columns}) select ${columns} from group_shares`.execute(db)
  // No id is ever reused, not even that of the last share after its deletion.
  await sql`delete from sqlite_sequence where name = 'new_shares'`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) select 'new_shares', seq from sqlite_sequence where name = 'group_shares'`.execute(db)
  await db.schema.dropTable('group_shares').execute()
  await db.schema.alterTable('new_shares').renameTo('group_shares').execute()
}

async function createTopics(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'topics')
    .addColumn('name', 'text', required)
    .addColumn('name_key', 'text', (column) => column.notNull().unique())
    .addColumn('title', 'text', required)
    .addColumn('description', 'text')
    .addColumn('managed', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema
    .createTable('project_topics')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('topic_id', 'bigint', (column) => refers('topics.id')(column).notNull())
    .addColumn('name', 'text', required)
    .addPrimaryKeyConstraint('project_topics_pk', ['project_id', 'topic_id'])
    .execute()
  await db.schema.createIndex('project_topics_topic').on('project_topics').columns(['topic_id', 'project_id']).execute()
}

const atOnce = 500

/** The tables as they are before this migration. */
interface Before {
  projects: { id: number; tag_list: string }
  topics: { id: number; name: string; name_key: string; title: string; created_at: string; updated_at: string }
  project_topics: { project_id: number; topic_id: number; name: string }
}

/** Tags that differ only in case become one topic. */
async function moveTags(db: Kysely<unknown>): Promise<void> {
  const tagged = db as Kysely<Before>
  const at = new Date().toISOString()
  for (let last = 0; ; ) {
    const page = tagged.selectFrom('projects').select(['id', 'tag_list']).where('id', '>', last).where('tag_list', '<>', '[]')
    const rows = await page.orderBy('id').limit(atOnce).execute()
    for (const { id, tag_list } of rows) {
      for (const name of JSON.parse(tag_list) as string[]) {
        const name_key = name.toLowerCase()
        const topic = { name, name_key, title: name, created_at: at, updated_at: at }
        await tagged
          .insertInto('topics')
          .values(topic as never)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const { id: topic_id } = await tagged.selectFrom('topics').select('id').where('name_key', '=', name_key).executeTakeFirstOrThrow()
        await tagged
          .insertInto('project_topics')
          .values({ project_id: id, topic_id, name })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
    }
    if (rows.length < atOnce) break
    last = rows.at(-1)?.id ?? last
  }
  await db.schema.alterTable('projects').dropColumn('tag_list').execute()
}

/** The features of a project, and the earlier column that switched each. */
const features: Record<string, string | null> = {
  issues: 'issues_enabled',
  merge_requests: 'merge_requests_enabled',
  builds: 'jobs_enabled',
  wiki: 'wiki_enabled',
  snippets: 'snippets_enabled',
  container_registry: 'container_registry_enabled',
  repository: null,
  forking: null,
}

async function replaceSwitches(db: Kysely<unknown>): Promise<void> {
  for (const [feature, before] of Object.entries(features)) {
    const column = `${feature}_access_level`
    await db.schema.alterTable('projects').addColumn(column, 'text', words('enabled')).execute()
    if (before === null) continue
    await sql`update projects set ${sql.ref(column)} = 'disabled' where not ${sql.ref(before)}`.execute(db)
    await db.schema.alterTable('projects').dropColumn(before).execute()
  }
}
