/** Looks up commits that texts mention in their repositories. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { everything, type Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { endingWith, showingMergeRequests } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { FoundReference, Reference } from '../../instance/markdown/markdown.ts'
import { resolveReferences } from './resolve.ts'
import type { NamedProject } from './targets.queries.ts'

/** A commit as a text names it. */
export type CommitName = Pick<Reference, 'path' | 'name'>

export interface NamedCommit {
  project: NamedProject
  oid: string
}

const asCommit = { kind: 'commit', isTitle: false, isLink: false, anchor: '' } as const

/** A key that is equal for two names of the same commit, as far as texts can tell. */
export function keyOfName({ path, name }: CommitName): string {
  return `${path?.toLowerCase() ?? ''}@${name}`
}

/** The distinct names of commits among references. */
export function commitNames(references: Iterable<FoundReference>, limit: number): CommitName[] {
  const found = new Map<string, CommitName>()
  for (const { kind, path, name } of references) {
    if (kind !== 'commit') continue
    found.set(keyOfName({ path, name }), { path, name })
    if (found.size >= limit) break
  }
  return [...found.values()]
}

/** The commits whose code the author can read, each once: at most two statements, and one git request per name. */
export async function findCommits(
  app: App,
  { project, author }: { project: LocatedProject; author: Viewer },
  names: readonly CommitName[],
  stopping?: AbortSignal,
): Promise<NamedCommit[]> {
  if (names.length === 0) return []
  const references = names.map((named): Reference => ({ ...asCommit, ...named }))
  const resolved = await resolveReferences(app.db, author, project, references, new Set(['commit']))
  const found = new Map<string, NamedCommit>()
  for (const reference of references) {
    const target = resolved(reference)
    if (target?.kind !== 'commit') continue
    const oid = await commitNamed(endingWith(app.git.open(target.project.id), stopping), target.project, target.name)
    if (oid !== null) found.set(`${target.project.id} ${oid}`, { project: target.project, oid })
  }
  return [...found.values()]
}

/** If a branch has the name of the id, the commit isn't meant. Short ids must not reveal commits of hidden merge requests. */
export async function commitNamed(repo: Repo, { showsMergeRequests }: NamedProject, name: string): Promise<string | null> {
  const oid = await resolveCommit(showingMergeRequests(repo, showsMergeRequests), name)
  return oid?.startsWith(name) ? oid : null
}

/** Without an access check; null if it was deleted. */
export async function projectById(db: Db, id: number): Promise<LocatedProject | null> {
  return (await findProject(db, String(id), everything).catch(nullIfMissing))?.project ?? null
}
