/** SQL for topics and their projects. */
import { type Insertable, sql, type Updateable } from 'kysely'
import { projectsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Topic, TopicTable } from '../../../db/tables.ts'

export interface TopicFilter {
  search?: string | undefined
  without_projects?: boolean | undefined
}

/** A topic, and the number of its projects that the viewer can see. */
export type CountedTopic = Topic & { projects: number }

/** Topics created by administrators, and topics of a project that the viewer can see; administrators see all. */
function topicsVisibleTo(db: Db, viewer: Viewer) {
  const counts = db
    .selectFrom('project_topics')
    .innerJoin('projects', 'projects.id', 'project_topics.project_id')
    .select((eb) => ['project_topics.topic_id', eb.fn.countAll<number>().as('projects')])
    .where(projectsVisibleTo(viewer))
    .groupBy('project_topics.topic_id')
  const topics = db
    .selectFrom('topics')
    .leftJoin(counts.as('counts'), 'counts.topic_id', 'topics.id')
    .selectAll('topics')
    .select(sql<number>`coalesce(counts.projects, 0)`.as('projects'))
  if (viewer?.admin) return topics
  return topics.where((eb) => eb.or([eb('topics.managed', '=', true), eb('counts.topic_id', 'is not', null)]))
}

/** Lists topics by number of projects, descending: two statements. */
export function listTopics(
  db: Db,
  viewer: Viewer,
  { search, without_projects }: TopicFilter,
  page: PageOf,
): Promise<{ rows: CountedTopic[]; total: number }> {
  let query = topicsVisibleTo(db, viewer)
  if (search) query = query.where(contains('topics.name', search))
  if (without_projects) query = query.where('counts.topic_id', 'is', null)
  return paginate(query.orderBy(sql`coalesce(counts.projects, 0)`, 'desc').orderBy('topics.id'), page)
}

export async function findTopic(db: Db, viewer: Viewer, id: number): Promise<CountedTopic | null> {
  return (await topicsVisibleTo(db, viewer).where('topics.id', '=', id).executeTakeFirst()) ?? null
}

/** As `findTopic`, ignoring the case of the name. */
export async function findTopicByName(db: Db, viewer: Viewer, name: string): Promise<CountedTopic | null> {
  return (await topicsVisibleTo(db, viewer).where('topics.name_key', '=', name.toLowerCase()).executeTakeFirst()) ?? null
}

/** Fails on the unique index of names. */
export async function insertTopic(db: Db, topic: Omit<Insertable<TopicTable>, 'created_at' | 'updated_at'>): Promise<number> {
  const at = now()
  const row = { ...topic, created_at: at, updated_at: at }
  return (await db.insertInto('topics').values(row).returning('id').executeTakeFirstOrThrow()).id
}

/** Renames it in its projects as well. Fails on the unique index of names. */
export async function updateTopic(db: Db, id: number, change: Updateable<TopicTable>): Promise<void> {
  await db
    .updateTable('topics')
    .set({ ...change, updated_at: now() })
    .where('id', '=', id)
    .execute()
  if (change.name !== undefined) await db.updateTable('project_topics').set({ name: change.name }).where('topic_id', '=', id).execute()
}

/** Removes it from its projects as well. */
export async function deleteTopic(db: Db, id: number): Promise<void> {
  await db.deleteFrom('topics').where('id', '=', id).execute()
}

/** Gives the projects of the topic `from` the topic `to`. */
export async function copyProjects(db: Db, from: number, to: number): Promise<void> {
  await db
    .insertInto('project_topics')
    .columns(['project_id', 'topic_id', 'name'])
    .expression((eb) =>
      eb
        .selectFrom('project_topics')
        .innerJoin('topics', (join) => join.on('topics.id', '=', to))
        .select(['project_topics.project_id', 'topics.id as topic_id', 'topics.name'])
        .where('project_topics.topic_id', '=', from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Part of a transaction: sets the topics of the project. Names that differ only in case are the same topic. */
export async function setTopics(tx: Db, project_id: number, names: string[]): Promise<void> {
  await tx.deleteFrom('project_topics').where('project_id', '=', project_id).execute()
  if (names.length === 0) return
  const written = new Map(names.map((name) => [name.toLowerCase(), name]))
  // All transactions insert in this order, so that no two of them deadlock.
  const rows = [...written.keys()].sort().map((name_key) => newTopic(name_key, written.get(name_key) ?? name_key))
  await tx
    .insertInto('topics')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const found = tx
    .selectFrom('topics')
    .select(['id', 'name_key'])
    .where('name_key', 'in', [...written.keys()])
  const topics = (await found.execute()).map(({ id, name_key }) => ({ project_id, topic_id: id, name: written.get(name_key) ?? name_key }))
  await tx.insertInto('project_topics').values(topics).execute()
}

function newTopic(name_key: string, name: string): Insertable<TopicTable> {
  const at = now()
  return { name, name_key, title: name, description: null, managed: false, created_at: at, updated_at: at }
}
