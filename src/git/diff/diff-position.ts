/** Checks whether a position (path, line, side) is part of the diff of a commit. */

import type { Commit } from '../objects/parse.ts'
import { requireListableChange } from '../objects/unfolding.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import { diffCommit } from './diff.ts'
import { type Side, showsLine } from './hunks.ts'

export interface Place {
  path: string
  line: number
  side: Side
}

/** Two processes: one finds the file, one reads its patch. The diff is that of `diffCommit`, with the same renames and limits. */
export async function isInDiff(repo: Repo, commit: Commit, { path, line, side }: Place): Promise<boolean> {
  const args = ['diff-tree', '--root', '-r', '-z', '-M', '--name-status', '--no-commit-id', ...commit.parents.slice(0, 1), commit.oid]
  await requireListableChange(repo, commit.parents[0] ?? null, commit.oid)
  const index = parseNameStatus(await runCostly(repo, args)).findIndex((file) => file[side] === path || file.new === path)
  if (index < 0) return false
  const { rows } = await diffCommit(repo, commit, { limit: 1, offset: index })
  return rows.some(({ patch }) => showsLine(patch, side, line))
}

/** Parses `diff-tree -z --name-status`: `M\0path\0`, and `R100\0old\0new\0` for what was renamed. */
export function parseNameStatus(output: Buffer): Array<Record<Side, string>> {
  const fields = output.toString('utf8').split('\0')
  const files: Array<Record<Side, string>> = []
  for (let at = 0; at + 1 < fields.length; ) {
    const renamed = /^[RC]/.test(fields[at] as string)
    const old = fields[at + 1] as string
    files.push({ old, new: renamed ? (fields[at + 2] as string) : old })
    at += renamed ? 3 : 2
  }
  return files
}
