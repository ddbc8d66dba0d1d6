/** Carries a change to another base as a whole: a three-way merge of trees, as one big commit that is rebased. */
import { writeRawCommit } from '../objects/loose-object.ts'
import { inQuarantine, inScratch } from '../objects/quarantine.ts'
import { readCommit } from '../objects/read.ts'
import type { Repo } from '../repository/repository.ts'
import { mergeThreeTrees } from './merge-tree.ts'

/** Ids of commits. */
export interface Transplant {
  from: string
  to: string
  onto: string
}

async function treesOf(repo: Repo, { from, to, onto }: Transplant): Promise<Record<'base' | 'ours' | 'theirs', string>> {
  const [base, ours, theirs] = await Promise.all([from, onto, to].map(async (oid) => (await readCommit(repo, oid)).tree))
  return { base, ours, theirs } as Record<'base' | 'ours' | 'theirs', string>
}

/** The id of the tree that it gives, whose objects aren't kept; null on a conflict. At most the processes of one merge. */
export async function transplantedTree(repo: Repo, transplant: Transplant): Promise<string | null> {
  const trees = await treesOf(repo, transplant)
  return inScratch(repo, (env) => mergeThreeTrees(repo, env, trees))
}

/**
 * A commit with the tree that it gives, on top of `onto`, for comparisons; null on a conflict. The same change there always makes the same
 * commit. Nothing refers to it, so housekeeping removes it.
 */
export async function transplantedCommit(repo: Repo, transplant: Transplant): Promise<string | null> {
  const trees = await treesOf(repo, transplant)
  return inQuarantine(repo, async (env) => {
    const tree = await mergeThreeTrees(repo, env, trees)
    if (tree === null) return null
    const nobody = 'Gitstead <> 0 +0000'
    return writeRawCommit(env, Buffer.from(`tree ${tree}\nparent ${transplant.onto}\nauthor ${nobody}\ncommitter ${nobody}\n\n`))
  })
}
