/** Checks that a sample of projects has the repositories that their rows describe. */
import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { readHead } from '../../git/refs/head.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import type { Git } from '../../git/repository/repository.ts'
import { lastPushes, openPushes, type SampledProject, type SampledWiki, sampledProjects, sampledWikis } from './doctor.queries.ts'
import { type Finding, fail, numberOf, ok, warn } from './findings.ts'

/** Pushes are settled within a minute, with several processes within a quarter of an hour. */
const maxOpen_ms = 15 * 60_000

export async function checkRepositories(db: Kysely<Tables>, git: Git): Promise<Finding[]> {
  const projects = await sampledProjects(db)
  const pushes = await lastPushes(db, projects)
  const faults: string[] = []
  for (const project of projects) {
    const fault = await faultOf(git, project, pushes.get(project.id))
    if (fault !== null) faults.push(`${project.full_path} ${fault}`)
  }
  const wikis = await sampledWikis(db)
  for (const wiki of wikis) {
    const fault = await faultOfWiki(git, wiki)
    if (fault !== null) faults.push(`${wiki.full_path}.wiki ${fault}`)
  }
  const count = projects.length + wikis.length
  const open = await openPushes(db)
  const stuck = open.filter(({ created_at }) => Date.parse(created_at) < Date.now() - maxOpen_ms)
  const findings: Finding[] = []
  // A push may be in progress, so faults are checked again.
  const suspects = faults.filter((_, index) => index < 5)
  if (faults.length > 0) {
    const text = `${faults.length} of ${numberOf(count, 'repository', 'repositories')}: ${suspects.join('; ')}`
    findings.push(fail('repositories', text, 'check again without pushes under way; then restore these from a backup'))
  }
  if (stuck.length > 0)
    findings.push(
      warn(
        'pushes',
        `${numberOf(stuck.length, 'push', 'pushes')} not settled`,
        'normal while the server is stopped; otherwise see its log',
      ),
    )
  return findings.length > 0 ? findings : [ok('repositories', `a sample of ${count} agrees with the database`)]
}

/** Describes the damage to a repository; null if it is sound. */
async function faultOf(git: Git, { id, default_branch }: SampledProject, lastPush: string | null | undefined): Promise<string | null> {
  const repo = git.open(id)
  // A repository without a branch is created at its first use.
  if (!existsSync(repo.dir)) return default_branch === null ? null : `has no repository (${repo.dir})`
  if (default_branch === null) return null
  const head = await readHead(repo).catch(() => null)
  if (head !== default_branch) return `has HEAD at ${head ?? 'nothing'}, not at ${default_branch}`
  const tip = await resolveCommit(repo, `refs/heads/${default_branch}`)
  if (tip === null) return `has no branch ${default_branch}, or not its commit`
  return lastPush && lastPush !== tip ? `has ${default_branch} at ${tip}, not at ${lastPush} as pushed last` : null
}

/** A wiki that was written to has a repository, and the branch that its pages are read from. */
async function faultOfWiki(git: Git, { id }: SampledWiki): Promise<string | null> {
  const repo = git.openWiki(id)
  if (!existsSync(repo.dir)) return `has no repository (${repo.dir})`
  const head = await readHead(repo).catch(() => null)
  if (head === null) return 'has HEAD at nothing'
  return (await resolveCommit(repo, `refs/heads/${head}`)) === null ? `has no branch ${head}, or not its commit` : null
}
