/** The pending jobs, read once for many runners, and which runner may take which of them. */
import type { Db } from '../../../db/database.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { ancestorsOf, type PendingGroup, pendingGroups, runnersOfProjects } from './queue.queries.ts'

export interface Pending {
  /** Ordered by their oldest job. May be shortened. */
  groups: PendingGroup[]
  /** Groups of jobs that the runner may take. */
  matching: (runner: Pick<CiRunner, 'id' | 'kind' | 'namespace_id' | 'access_level' | 'run_untagged' | 'tags' | 'active'>) => PendingGroup[]
}

/** At most three statements, however many jobs are pending. */
export async function readPending(db: Db): Promise<Pending> {
  const groups = await pendingGroups(db)
  groups.sort((one, other) => one.first_job_id - other.first_job_id)
  const projects = [...new Set(groups.map(({ project_id }) => project_id))]
  const namespaces = [...new Set(groups.map(({ namespace_id }) => namespace_id))]
  const runners = setsOf(projects.length > 0 ? await runnersOfProjects(db, projects) : [], 'project_id', 'runner_id')
  const ancestors = setsOf(namespaces.length > 0 ? await ancestorsOf(db, namespaces) : [], 'namespace_id', 'ancestor_id')
  const pending: Pending = {
    groups,
    matching(runner) {
      if (!runner.active || pending.groups.length === 0) return []
      const tags = new Set(JSON.parse(runner.tags) as string[])
      return pending.groups.filter((group) => mayRun(runner, tags, group) && isFor(runner, group))
    },
  }

  function isFor({ id, kind, namespace_id }: Pick<CiRunner, 'id' | 'kind' | 'namespace_id'>, group: PendingGroup): boolean {
    if (kind === 'instance') return group.shared_runners_enabled
    if (kind === 'project') return runners.get(group.project_id)?.has(id) ?? false
    return group.group_runners_enabled && namespace_id !== null && (ancestors.get(group.namespace_id)?.has(namespace_id) ?? false)
  }
  return pending
}

function mayRun(
  { access_level, run_untagged }: Pick<CiRunner, 'access_level' | 'run_untagged'>,
  tags: Set<string>,
  group: PendingGroup,
): boolean {
  if (access_level === 'ref_protected' && !group.protected) return false
  const wanted = JSON.parse(group.tags) as string[]
  return wanted.length === 0 ? run_untagged : wanted.every((tag) => tags.has(tag))
}

function setsOf<K extends string, V extends string>(rows: Array<Record<K | V, number>>, key: K, value: V): Map<number, Set<number>> {
  const sets = new Map<number, Set<number>>()
  for (const row of rows) sets.set(row[key], (sets.get(row[key]) ?? new Set()).add(row[value]))
  return sets
}
