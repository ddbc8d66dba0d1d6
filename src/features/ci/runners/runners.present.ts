/** Runners as JSON. */
import { withMemberships } from '../../../access/memberships.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { CiRunner, CiRunnerManager, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentProjects } from '../../spaces/projects/projects.ts'
import { groupOfRunner, online_ms, projectsSeenOf, stale_ms } from './runners.queries.ts'
import type { Runner, RunnerDetails, RunnerManager } from './runners.schema.ts'

export function presentRunner(runner: CiRunner): Presented<typeof Runner> {
  const { id, description, ip_address, active, kind, name, contacted_at, creator_id, created_at } = runner
  return {
    id,
    description,
    ip_address,
    active,
    paused: !active,
    is_shared: kind === 'instance',
    runner_type: `${kind}_type`,
    name,
    online: contacted_at === null ? null : isOnline(contacted_at),
    created_by: creator_id === null ? null : { id: creator_id },
    created_at,
    status: statusOf(runner),
  }
}

/** With those of its projects and groups that the reader is a member of: a fixed number of statements. */
export async function presentDetails(app: App, runner: CiRunner, reader: User): Promise<Presented<typeof RunnerDetails>> {
  const { db, config } = app
  const viewer = await withMemberships(db, reader)
  const projects = await presentProjects(app, await projectsSeenOf(db, runner.id, viewer), reader, { simple: true })
  const group = runner.namespace_id === null ? null : await groupOfRunner(db, runner.namespace_id, viewer)
  const { tags, run_untagged, locked, maximum_timeout_s, access_level, version, revision, platform, architecture } = runner
  return Object.assign(presentRunner(runner), {
    tag_list: JSON.parse(tags) as string[],
    run_untagged,
    locked,
    maximum_timeout: maximum_timeout_s,
    access_level,
    version,
    revision,
    platform,
    architecture,
    contacted_at: runner.contacted_at,
    maintenance_note: runner.maintenance_note,
    projects,
    groups: group ? [{ id: group.id, web_url: pageUrl(config, groupAddress(group.full_path)), name: group.name }] : [],
  })
}

export function presentManager(manager: CiRunnerManager): Presented<typeof RunnerManager> {
  const { id, system_id, version, revision, platform, architecture, created_at, contacted_at, ip_address } = manager
  const status = contacted_at !== null && isOnline(contacted_at) ? 'online' : isStale(manager) ? 'stale' : 'offline'
  return { id, system_id, version, revision, platform, architecture, created_at, contacted_at, ip_address, status }
}

/** Whether a runner whose last contact was then counts as online now. */
export function isOnline(contacted_at: string): boolean {
  return Date.now() - Date.parse(contacted_at) < online_ms
}

function isStale({ contacted_at, created_at }: { contacted_at: string | null; created_at: string }): boolean {
  return Date.now() - Date.parse(contacted_at ?? created_at) > stale_ms
}

/** The terms of the reference. A paused runner is `paused`, whether or not it is in contact. */
function statusOf(runner: CiRunner): string {
  if (runner.contacted_at === null) return isStale(runner) ? 'stale' : 'never_contacted'
  if (!runner.active) return 'paused'
  if (isOnline(runner.contacted_at)) return 'online'
  return isStale(runner) ? 'stale' : 'offline'
}
