/** Tags as JSON, each with its commit, its message and its release. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Release } from '../../../db/tables.ts'
import { readCommit, readTag } from '../../../git/objects/read.ts'
import type { Ref } from '../../../git/refs/refs.ts'
import { presentCommit } from '../commits/commits.ts'
import { releasesOf } from './tags.queries.ts'
import type { Tag } from './tags.schema.ts'

/** One statement, and no process once the objects are cached. */
export async function presentTags(app: App, project: LocatedProject, refs: Ref[]): Promise<Array<Static<typeof Tag>>> {
  const names = refs.map(({ name }) => name)
  const releases = await releasesOf(app.db, project.id, names)
  return Promise.all(refs.map((ref) => asJson(app, project, ref, releases.get(ref.name))))
}

export async function presentTag(app: App, project: LocatedProject, ref: Ref): Promise<Static<typeof Tag>> {
  const releases = await releasesOf(app.db, project.id, [ref.name])
  return asJson(app, project, ref, releases.get(ref.name))
}

async function asJson(
  app: App,
  project: LocatedProject,
  { name, oid, commit }: Ref,
  release: Release | undefined,
): Promise<Static<typeof Tag>> {
  const repo = app.git.open(project.id)
  const annotated = commit !== oid ? await readTag(repo, oid) : null
  return {
    name,
    message: annotated?.message ?? null,
    target: oid,
    commit: commit ? presentCommit(await readCommit(repo, commit), projectUrl(app.config, project)) : null,
    release: release ? { tag_name: name, description: release.description } : null,
  }
}
