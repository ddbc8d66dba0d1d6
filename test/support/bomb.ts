/** A git bomb: trees of ten times the same tree, ten levels deep, that unfold to ten billion files. */
import { git, gitWriting } from './git.ts'

const width = 10

async function makeTree(dir: string, mode: string, type: string, oid: string, levels: number): Promise<string> {
  const lines = Array.from({ length: width }, (_, index) => `${mode} ${type} ${oid}\tn${index}\n`).join('')
  const tree = await gitWriting(dir, lines, 'mktree')
  return levels > 1 ? makeTree(dir, '040000', 'tree', tree, levels - 1) : tree
}

/** The id of a tree that unfolds to ten to the power of `levels` files, all with this content. */
export async function bombTree(dir: string, content = 'x\n', levels = 10): Promise<string> {
  const blob = await gitWriting(dir, content, 'hash-object', '-w', '--stdin')
  return makeTree(dir, '100644', 'blob', blob, levels)
}

/** A commit of a tree; its id. */
export function commitOf(dir: string, tree: string, message: string, ...parents: string[]): Promise<string> {
  return git(dir, 'commit-tree', '-m', message, ...parents.flatMap((parent) => ['-p', parent]), tree)
}
