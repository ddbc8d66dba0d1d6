/**
 * How `.gitattributes` wants files merged (`merge=union`, `-merge`). Git reads it of a working tree, and a bare repository has none: a
 * merge that it concerns gets one that has nothing else in it.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'

const name = '.gitattributes'
/** Files of one command: arguments have a limit. */
const filesAtOnce = 500
/** The limit of one file. A larger one is ignored; git's own limit is a hundred times that. */
const max_bytes = 1024 * 1024
/** The limit of all together: those of the upper folders count first. */
const maxAll_bytes = 8 * max_bytes

interface Found {
  path: string
  oid: string
}

/**
 * A folder in the quarantine of `env` in which the attributes of a merge into `ours` are, where they say how one of these files is
 * merged; otherwise null. One process, and a second one where there are any.
 * @param paths of the files whose texts are merged
 */
export async function layOutAttributes(repo: Repo, env: Record<string, string>, ours: string, paths: string[]): Promise<string | null> {
  const quarantine = env.GIT_OBJECT_DIRECTORY
  if (quarantine === undefined || paths.length === 0) return null
  const found = await findFiles(repo, env, ours, candidates(paths))
  const texts = found.length === 0 ? [] : await readFiles(repo, env, found)
  // A macro is defined by one of these words, too.
  if (!texts.some(({ data }) => /merge|binary|conflict-marker-size/.test(data.toString('latin1')))) return null
  // A rebase merges many times in one quarantine.
  const folder = await mkdtemp(join(quarantine, 'work-tree-'))
  for (const { path, data } of texts) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, data)
  }
  return folder
}

/** Paths at which attributes of these files may be: in their folders and those above, the upper ones first. */
function candidates(paths: string[]): string[] {
  const folders = new Set([''])
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1)
    // Such a folder can't be written, or would be elsewhere.
    if (parts.some((part) => part === '..' || Buffer.byteLength(part) > 255) || path.length > 2_000) continue
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(`${parts.slice(0, depth).join('/')}/`)
  }
  return [...folders].map((folder) => `${folder}${name}`).sort((one, other) => depthOf(one) - depthOf(other))
}

function depthOf(path: string): number {
  return path.split('/').length
}

/** Keeps the paths that are files. Git follows no link here. */
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
