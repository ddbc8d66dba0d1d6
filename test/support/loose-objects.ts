/** Small histories written as git would write them, without a process: most tests of the suite want no more than one commit. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { SeedCommit } from './git.ts'

/** Beyond that git is as quick. */
const maxFiles = 40

type Tree = Map<string, Buffer | Tree>

/**
 * Writes the commits into an empty bare repository as loose objects and refs. Gives the refs, or null where the history is one
 * for git itself: large, or with paths that are no plain ones.
 */
export async function writeLoose(
  bare: string,
  commits: SeedCommit[],
  timeOf: (index: number) => number,
): Promise<Map<string, string> | null> {
  const paths = commits.flatMap(({ files }) => Object.keys(files))
  if (paths.length > maxFiles || !paths.every(isPlain)) return null
  const objects = new Map<string, Buffer>()
  const add = (type: string, content: Buffer) => {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    const oid = createHash('sha1').update(bytes).digest('hex')
    objects.set(oid, bytes)
    return oid
  }
  const roots = new Map<string, Tree>()
  const refs = new Map<string, string>()
  for (const [index, { message, files, branch = 'main' }] of commits.entries()) {
    const root = roots.get(branch) ?? new Map()
    roots.set(branch, root)
    for (const [path, content] of Object.entries(files)) if (!place(root, path.split('/'), content)) return null
    const at = `Ada <ada@example.com> ${timeOf(index)} +0000`
    const parent = refs.get(`refs/heads/${branch}`)
    const lines = [`tree ${addTree(root, add)}`, ...(parent ? [`parent ${parent}`] : []), `author ${at}`, `committer ${at}`, '', message]
    refs.set(`refs/heads/${branch}`, add('commit', Buffer.from(lines.join('\n'))))
  }
  await Promise.all(
    [...objects].map(([oid, bytes]) => writeInto(join(bare, 'objects', oid.slice(0, 2), oid.slice(2)), deflateSync(bytes), 0o444)),
  )
  for (const [ref, oid] of refs) await writeInto(join(bare, ref), `${oid}\n`)
  await settleRefs(bare)
  return refs
}

/** As if nobody had changed a ref for a second: what changed just now isn't cached, so that costs would depend on the time. */
export async function settleRefs(bare: string): Promise<void> {
  const below = await readdir(join(bare, 'refs'), { recursive: true })
  const past = new Date(Date.now() - 1_000)
  for (const name of ['packed-refs', 'refs', ...below.map((file) => join('refs', file))]) {
    await utimes(join(bare, name), past, past).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

function isPlain(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git')
}

/** False where a file stands in the place of a folder, or the other way round. */
function place(tree: Tree, [name = '', ...below]: string[], content: string | Buffer | null): boolean {
  const found = tree.get(name)
  if (below.length === 0) {
    if (found instanceof Map) return false
    if (content === null) tree.delete(name)
    else tree.set(name, Buffer.from(content))
    return true
  }
  if (Buffer.isBuffer(found)) return false
  const folder = found ?? new Map()
  tree.set(name, folder)
  const isPlaced = place(folder, below, content)
  if (folder.size === 0) tree.delete(name)
  return isPlaced
}

function addTree(tree: Tree, add: (type: string, content: Buffer) => string): string {
  const sortKey = (name: string) => Buffer.from(tree.get(name) instanceof Map ? `${name}/` : name)
  const names = [...tree.keys()].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)))
  const entries = names.map((name) => {
    const item = tree.get(name)
    const [mode, oid] = item instanceof Map ? ['40000', addTree(item, add)] : ['100644', add('blob', item ?? Buffer.alloc(0))]
    return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  })
  return add('tree', Buffer.concat(entries))
}

async function writeInto(file: string, content: string | Buffer, mode = 0o666): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content, { mode })
}
