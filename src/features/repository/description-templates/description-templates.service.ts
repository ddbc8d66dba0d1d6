/** Description templates: Markdown files in a folder of the default branch, as clients of this API know them. */
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, openTree, readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

const folders = { issues: '.gitlab/issue_templates', merge_requests: '.gitlab/merge_request_templates' } as const

/** Issues and merge requests have description templates. */
export type Described = keyof typeof folders

const maxTemplates = 100
/** A folder may contain other files; this many are examined. */
const maxEntries = 10_000
const maxTemplate_bytes = 64 * 1024
const ending = '.md'

export interface DescriptionTemplate {
  /** The name of the file, without its extension. */
  name: string
  /** The id of the blob. */
  oid: string
}

/** The templates on the default branch, by name; none if there is no such folder. No process besides the object reader. */
export async function descriptionTemplates(repo: Repo, defaultBranch: string | null, of: Described): Promise<DescriptionTemplate[]> {
  const commit = defaultBranch === null ? null : await resolveCommit(repo, `refs/heads/${defaultBranch}`)
  const folder = commit && (await findEntry(repo, (await readCommit(repo, commit)).tree, folders[of]))
  const tree = folder && folder.type === 'tree' ? await openTree(repo, folder.oid) : null
  const found: DescriptionTemplate[] = []
  for (let index = 0; index < Math.min(tree?.length ?? 0, maxEntries) && found.length < maxTemplates; index += 1) {
    const entry = tree?.entry(index)
    if (entry?.type === 'blob' && entry.name.endsWith(ending) && entry.name !== ending)
      found.push({ name: entry.name.slice(0, -ending.length), oid: entry.oid })
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Null if it is too large for a description. */
export async function textOfTemplate(repo: Repo, { oid }: DescriptionTemplate): Promise<string | null> {
  const info = await objectInfo(repo, oid)
  const blob = info && info.size <= maxTemplate_bytes ? await readBlob(repo, oid) : null
  return blob?.data.toString('utf8') ?? null
}
