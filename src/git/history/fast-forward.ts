/** Decides whether a push is a fast-forward from the few commits in quarantine, without a process. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

/** A push of more objects is kept as a pack, which only git can read. */
const maxCommits = 20
const maxCommit_bytes = 64 * 1024

/**
 * Whether `before` is a parent of `after`, or of one of its first-parent ancestors that are loose objects in quarantine. False proves
 * nothing; git must decide then.
 */
export async function isPlainFastForward(quarantine: string, before: string, after: string): Promise<boolean> {
  if (quarantine === '') return false
  let oid: string | undefined = after
  for (let count = 0; count < maxCommits && oid !== undefined; count += 1) {
    const parents: string[] = await parentsOf(quarantine, oid)
    if (parents.includes(before)) return true
    oid = parents[0]
  }
  return false
}

/** Parents of a commit; none if the object is not a commit or is too long. Git has already validated the objects in quarantine. */
async function parentsOf(quarantine: string, oid: string): Promise<string[]> {
  try {
    const packed = await readFile(join(quarantine, oid.slice(0, 2), oid.slice(2)))
    const object = await promisify(inflate)(packed, { maxOutputLength: maxCommit_bytes })
    const [, parents = ''] = /^commit \d+\0tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)/.exec(object.toString('latin1')) ?? []
    return parents.split('\n').flatMap((line) => line.slice('parent '.length) || [])
  } catch {
    return []
  }
}
