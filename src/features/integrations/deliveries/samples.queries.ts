/** SQL for the newest thing of each kind in a project, or in the projects of a group: samples for webhook tests. */
import type { Db } from '../../../db/database.ts'
import type { CiDeployment, Issue, MergeRequest, Note, Release } from '../../../db/tables.ts'
import type { HookPlace } from '../hooks/hooks.ts'

/** The ids of the projects of a place, for a query. */
function projectsIn(db: Db, { project_id, namespace_id }: HookPlace) {
  const projects = db.selectFrom('projects').select('projects.id')
  return project_id === null
    ? projects
        .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
        .where('namespace_ancestors.ancestor_id', '=', namespace_id ?? 0)
    : projects.where('projects.id', '=', project_id)
}

/** The most recently active project with a branch. */
export async function newestProject(db: Db, place: HookPlace): Promise<{ id: number; default_branch: string } | null> {
  const found = await db
    .selectFrom('projects')
    .select(['id', 'default_branch'])
    .where('id', 'in', projectsIn(db, place))
    .where('default_branch', 'is not', null)
    .orderBy('last_activity_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found ? { id: found.id, default_branch: found.default_branch ?? '' } : null
}

export async function newestIssue(db: Db, place: HookPlace, confidential: boolean): Promise<Issue | null> {
  const issues = db.selectFrom('issues').selectAll().where('project_id', 'in', projectsIn(db, place))
  return (await issues.where('confidential', '=', confidential).orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestMergeRequest(db: Db, place: HookPlace): Promise<MergeRequest | null> {
  const found = db.selectFrom('merge_requests').selectAll().where('project_id', 'in', projectsIn(db, place))
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestNote(db: Db, place: HookPlace, isConfidential: boolean): Promise<Note | null> {
  const confidential = db.selectFrom('issues').select('issues.id').where('issues.confidential', '=', true)
  const found = db
    .selectFrom('notes')
    .selectAll()
    .where('project_id', 'in', projectsIn(db, place))
    .where('system', '=', false)
    .where((eb) => {
      const hidden = eb.or([eb('internal', '=', true), eb('issue_id', 'in', confidential)])
      const open = eb.and([eb('internal', '=', false), eb.or([eb('issue_id', 'is', null), eb('issue_id', 'not in', confidential)])])
      return isConfidential ? hidden : open
    })
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestJob(db: Db, place: HookPlace) {
  const found = db.selectFrom('commit_statuses').selectAll().where('project_id', 'in', projectsIn(db, place)).where('kind', '=', 'job')
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestPipeline(db: Db, place: HookPlace) {
  const found = db.selectFrom('pipelines').selectAll().where('project_id', 'in', projectsIn(db, place))
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestDeployment(db: Db, place: HookPlace): Promise<CiDeployment | null> {
  const found = db.selectFrom('ci_deployments').selectAll().where('project_id', 'in', projectsIn(db, place))
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestRelease(db: Db, place: HookPlace): Promise<Release | null> {
  const found = db.selectFrom('releases').selectAll().where('project_id', 'in', projectsIn(db, place))
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function newestWiki(db: Db, place: HookPlace): Promise<{ id: number; project_id: number } | null> {
  const found = db.selectFrom('wikis').select(['id', 'project_id']).where('project_id', 'in', projectsIn(db, place))
  const wiki = await found.where('pushed_at', 'is not', null).orderBy('pushed_at', 'desc').limit(1).executeTakeFirst()
  return wiki ? { id: wiki.id, project_id: wiki.project_id ?? 0 } : null
}

/** The newest member of the group itself. */
export async function newestMember(db: Db, { namespace_id }: HookPlace): Promise<number | null> {
  const found = db
    .selectFrom('members')
    .select('user_id')
    .where('namespace_id', '=', namespace_id ?? 0)
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst())?.user_id ?? null
}

export async function newestSubgroup(db: Db, { namespace_id }: HookPlace): Promise<number | null> {
  const found = db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', namespace_id ?? 0)
    .where('kind', '=', 'group')
  return (await found.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? null
}

export async function newestProjectOfAll(db: Db): Promise<number | null> {
  return (await db.selectFrom('projects').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? null
}
