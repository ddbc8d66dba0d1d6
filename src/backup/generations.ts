/** The generations in a backup folder: folders named after the instant of their snapshot. */
import { readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../durable.ts'
import { StartRefused } from '../failure.ts'
import { removeFolder, unfinished } from './files.ts'

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/

/** Suffix of a generation that lacks something. */
export const incomplete = '.incomplete'

/** Generations that can be restored, oldest first. */
async function completeGenerations(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => instant.test(name)).sort()
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new StartRefused(`folder ${folder} does not exist`)
    throw error
  })
}

/** The generation with this name, or the last complete one. Throws StartRefused if there is none. */
export async function findGeneration(folder: string, name: string | undefined): Promise<string> {
  if (name === undefined) {
    const last = (await completeGenerations(folder)).at(-1)
    if (last === undefined) throw new StartRefused(`no complete backup in ${folder}`)
    return join(folder, last)
  }
  if (name.endsWith(unfinished)) throw new StartRefused(`the backup ${name} was not finished`)
  if (!instant.test(name.replace(incomplete, ''))) throw new StartRefused(`${name} is not the name of a backup`)
  if (!(await stat(join(folder, name)).catch(() => null))) throw new StartRefused(`there is no backup ${name} in ${folder}`)
  return join(folder, name)
}

/** The path for a new generation, and the generation whose files it may share: the newest, complete or not. */
export async function planGeneration(folder: string, at: Date): Promise<{ name: string; draft: string; previous: string | null }> {
  const name = at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  const names = await namesIn(folder)
  const taken = (other: string) => other === name || other === `${name}${incomplete}`
  // With two in the same second, the next second is used.
  if (names.some(taken)) return planGeneration(folder, new Date(at.getTime() + 1_000))
  const known = names.filter((other) => instant.test(other.replace(incomplete, ''))).sort()
  const last = known.at(-1)
  return { name, draft: join(folder, `${name}${unfinished}`), previous: last === undefined ? null : join(folder, last) }
}

/** Gives a generation its final name. Of the incomplete ones, only the last is kept. */
export async function settleGeneration(folder: string, draft: string, name: string, isComplete: boolean): Promise<string> {
  const older = (await namesIn(folder)).filter((other) => other.endsWith(incomplete))
  const settled = join(folder, isComplete ? name : `${name}${incomplete}`)
  await rename(draft, settled)
  await syncFolder(folder)
  for (const other of older) await removeFolder(join(folder, other))
  return settled
}

/** Removes the oldest complete ones until this many are left. */
export async function keepGenerations(folder: string, kept: number): Promise<number> {
  const names = await completeGenerations(folder)
  const old = names.slice(0, Math.max(0, names.length - kept))
  for (const name of old) await removeFolder(join(folder, name))
  return old.length
}

/** Removes what killed runs have left behind. The caller must hold the lock of the folder. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(unfinished) && instant.test(name.replace(unfinished, '').replace(incomplete, '')))
      await removeFolder(join(folder, name))
  }
}
