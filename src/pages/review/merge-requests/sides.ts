/** The two sides of a merge request that is about to be created: the available projects and branches, and the chosen ones. */
import { mayUse } from '../../../access/features.ts'
import { canPush, findProject, type ProjectAccess } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { ProjectGranted, SignedIn } from '../../../http/declare/rules.ts'

/** As in the URL. */
export interface Asked {
  source_project_id?: number | undefined
  source_branch: string
  target_project_id?: number | undefined
  target_branch: string
}

export interface Sides {
  /** The projects that the user may propose from, and those to propose to; the chosen one first. */
  sources: ProjectAccess[]
  targets: ProjectAccess[]
  source: ProjectAccess | null
  target: ProjectAccess | null
  source_branch: string
  target_branch: string
  /** The tips of both branches; null if there is no such branch. */
  source_oid: string | null
  target_oid: string | null
}

const maxForks = 20

/** The project of the page, its fork source, and its forks: at most fifteen statements. */
export async function readSides({ app, project, level, user }: ProjectGranted & SignedIn & { app: App }, asked: Asked): Promise<Sides> {
  const here = { project, level }
  const parent = await accessTo(app, project.forked_from_id, user)
  const forks = canPush(here) ? [] : await forksOf(app, project.id, user)
  const given = await Promise.all([asked.source_project_id, asked.target_project_id].map((id) => accessTo(app, id ?? null, user)))
  const sources = distinct([given[0], here, ...forks]).filter((access) => canPush(access) && mayUse('merge_requests', access))
  const source = sources[0] ?? null
  // Branches of a fork are mostly proposed to the project it was forked from.
  const targets = distinct([given[1], source?.project.id === project.id ? parent : null, here, parent]).filter(
    (access) => canSeeMergeRequests(access, user) && !access.project.archived && access.project.default_branch !== null,
  )
  const target = targets[0] ?? null
  const source_branch = asked.source_branch.trim()
  const target_branch = asked.target_branch.trim() || (target?.project.default_branch ?? '')
  const [source_oid, target_oid] = await Promise.all([tipOf(app, source, source_branch), tipOf(app, target, target_branch)])
  return { sources, targets, source, target, source_branch, target_branch, source_oid, target_oid }
}

async function accessTo({ db }: App, id: number | null, user: SignedIn['user']): Promise<ProjectAccess | null> {
  return id === null ? null : findProject(db, String(id), user).catch(nullIfMissing)
}

/** The forks that the user may push to. */
async function forksOf(app: App, id: number, user: SignedIn['user']): Promise<ProjectAccess[]> {
  const query = { order_by: 'created_at', sort: 'desc', min_access_level: 30 } as const
  const { rows } = await pageOfProjects(app, user, query, { limit: maxForks, offset: 0 }, { forked_from_id: id })
  const found = await Promise.all(rows.map((row) => accessTo(app, row.id, user)))
  return distinct(found)
}

function distinct(found: ReadonlyArray<ProjectAccess | null | undefined>): ProjectAccess[] {
  const byId = new Map<number, ProjectAccess>()
  for (const access of found) if (access && !byId.has(access.project.id)) byId.set(access.project.id, access)
  return [...byId.values()]
}

async function tipOf({ git }: App, access: ProjectAccess | null, branch: string): Promise<string | null> {
  return access === null || branch === '' ? null : resolveCommit(git.open(access.project.id), `refs/heads/${branch}`)
}
