/**
 * Merge attributes of `.gitattributes` (`merge=union`, `-merge`). Git reads them from a working tree, which a bare repository lacks, so a
 * merge that needs them gets a temporary one with nothing else in it.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

const name = '.gitattributes'
/** Files per command: arguments are limited. */
const filesAtOnce = 500
/** Limit of one file. A larger one is ignored; git's own limit is a hundred times larger. */
const max_bytes = 1024 * 1024
/** Limit of all files together; those of upper folders take precedence. */
const maxAll_bytes = 8 * max_bytes

interface Found {
  path: string
  oid: string
}

/**
 * A folder in the quarantine of `env` with the attributes for a merge into `ours`; null if none of them says how to merge any of these
 * files. One process, and a second one if there are attribute files.
 * @param paths the files whose texts are merged
 */
export async function layOutAttributes(repo: Repo, env: Record<string, string>, ours: string, paths: string[]): Promise<string | null> {
  const quarantine = env.GIT_OBJECT_DIRECTORY
  if (quarantine === undefined || paths.length === 0) return null
  const found = await findFiles(repo, env, ours, candidates(paths))
  const texts = found.length === 0 ? [] : await readFiles(repo, env, found)
  // The definition of a macro also contains one of these words.
  if (!texts.some(({ data }) => /merge|binary|conflict-marker-size/.test(data.toString('latin1')))) return null
  // The name is unique, since a rebase merges many times in one quarantine.
  const folder = await mkdtemp(join(quarantine, 'work-tree-'))
  for (const { path, data } of texts) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, data)
  }
  return folder
}

/** Paths of possible attribute files for these files: in their folders and all folders above, upper ones first. */
function candidates(paths: string[]): string[] {
  const folders = new Set([''])
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1)
    // Such a folder can't be created, or would be outside of the working tree.
    if (parts.some((part) => part === '..' || Buffer.byteLength(part) > 255) || path.length > 2_000) continue
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(`${parts.slice(0, depth).join('/')}/`)
  }
  return [...folders].map((folder) => `${folder}${name}`).sort((one, other) => depthOf(one) - depthOf(other))
}

function depthOf(path: string): number {
  return path.split('/').length
}

/** Keeps the paths that are regular files. Git follows no symlinks here. */
async function findFiles(repo: Repo, env: Record<string, string>, ours: string, files: string[]): Promise<Found[]> {
  const found: Found[] = []
  let rest_bytes = maxAll_bytes
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const args = [...command`ls-tree -z --long --full-tree ${ours}`, '--', ...files.slice(at, at + filesAtOnce)]
    for (const line of (await run(repo, args, { env })).toString('utf8').split('\0')) {
      const [, oid = '', size, path = ''] = /^100[0-7]{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? []
      if (size === undefined || Number(size) > Math.min(max_bytes, rest_bytes)) continue
      rest_bytes -= Number(size)
      found.push({ path, oid })
    }
  }
  return found
}

async function readFiles(repo: Repo, env: Record<string, string>, files: Found[]): Promise<Array<{ path: string; data: Buffer }>> {
  const input = files.map(({ oid }) => `${oid}\n`).join('')
  const output = await run(repo, ['cat-file', '--batch=%(objectsize)'], { env, input })
  let at = 0
  return files.map(({ path }) => {
    const newline = output.indexOf(10, at)
    const end = newline + 1 + Number(output.toString('latin1', at, newline))
    const data = output.subarray(newline + 1, end)
    at = end + 1
    return { path, data }
  })
}
