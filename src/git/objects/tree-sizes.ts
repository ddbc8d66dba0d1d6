/** Streams the files of a commit with their sizes: any number of files in little memory. */
import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { recordSplitter } from '../process/nul-splitter.ts'
import { type Repo, startIn } from '../repository/repository.ts'
import { requireListableTree } from './unfolding.ts'

export interface SizedFile {
  path: string
  /** Id of the blob. */
  oid: string
  /** In bytes. */
  size: number
}

/** Calls `visit` with each file of a commit, except symlinks and submodules. Throws as `requireListableTree` does. */
export async function visitFiles(repo: Repo, oid: string, deadline_ms: number, visit: (file: SizedFile) => void): Promise<void> {
  const args = command`ls-tree -r -l -z --full-tree ${oid}`
  await requireListableTree(repo, oid)
  await repo.git.costly.run(repo, async () => {
    const child = startIn(repo, args, { deadline_ms })
    child.stdin.end()
    const take = fileReader(visit)
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) take(chunk)
    const { code, stderr } = await child.finished
    if (code !== 0) throw gitFailure(args, code, stderr)
  })
}

/** Parses `ls-tree -l -z`: `<mode> <type> <oid> <size, padded>\t<path>`, each ended by NUL. */
export function fileReader(onFile: (file: SizedFile) => void): (chunk: Buffer) => void {
  return recordSplitter((record) => {
    const text = record.toString('utf8')
    const file = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(text)
    if (file) onFile({ path: text.slice(file[0].length), oid: file[1] as string, size: Number(file[2]) })
  })
}
