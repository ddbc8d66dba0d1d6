/** Templates of descriptions: files in a folder of the target's default branch, as clients of this API know it. */

import { readBlob } from '../../../git/objects/blobs.ts'
import type { TreeEntry } from '../../../git/objects/parse.ts'
import { findEntry, objectInfo, openTree, readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

const folder = '.gitlab/merge_request_templates'
const maxTemplates = 100
const maxTemplate_bytes = 64 * 1024
/** Offered first, and used where none was chosen. */
const usual = /^default$/i

export interface Templates {
  names: string[]
  /** The text of the one that was asked for, or of the usual one; null for none. */
  text: string | null
}

/** No process but the reader of objects. */
export async function readTemplates(repo: Repo, branch: string | null, asked: string): Promise<Templates> {
  const commit = branch === null ? null : await resolveCommit(repo, `refs/heads/${branch}`)
  const found = commit && (await findEntry(repo, (await readCommit(repo, commit)).tree, folder))
  const tree = found && found.type === 'tree' ? await openTree(repo, found.oid) : null
  const listed = Array.from({ length: Math.min(tree?.length ?? 0, maxTemplates) }, (_, index) => tree?.entry(index))
  const entries = listed.filter((entry): entry is TreeEntry => entry?.type === 'blob' && entry.name.endsWith('.md'))
  const nameOf = ({ name }: { name: string }) => name.slice(0, -'.md'.length)
  const chosen = entries.find((entry) => nameOf(entry) === asked) ?? entries.find((entry) => usual.test(nameOf(entry)))
  return { names: entries.map(nameOf).sort(), text: chosen ? await textOf(repo, chosen.oid) : null }
}

async function textOf(repo: Repo, oid: string): Promise<string | null> {
  const info = await objectInfo(repo, oid)
  const blob = info && info.size <= maxTemplate_bytes ? await readBlob(repo, oid) : null
  return blob?.data.toString('utf8') ?? null
}
